import Box from '@mui/material/Box';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { ErrorPanel } from '../ui/error-panel.tsx';

export function ScreenError({ error, reset }: ErrorComponentProps) {
  return (
    <Box sx={{ p: 3, maxWidth: 720, mx: 'auto' }}>
      <ErrorPanel error={error} onRetry={reset} />
    </Box>
  );
}
