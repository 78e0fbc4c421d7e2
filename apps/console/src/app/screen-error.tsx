import Box from '@mui/material/Box';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { FailedScreen } from '../ui/feedback/failed-screen.tsx';

/** What a route could not load; trying again asks the server again, not only the screen. */
export function ScreenError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => void router.invalidate().then(reset);
  return (
    <Box sx={{ p: 3, width: '100%', maxWidth: 720, mx: 'auto' }}>
      <FailedScreen error={error} onRetry={retry} />
    </Box>
  );
}
