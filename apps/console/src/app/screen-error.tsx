import Box from '@mui/material/Box';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { FailedScreen } from '../ui/feedback/failed-screen.tsx';

/** Shows why a route could not load; retrying asks the server again instead of only redrawing the screen. */
export function ScreenError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => void router.invalidate().then(reset);
  return (
    <Box sx={{ p: 3, width: '100%', maxWidth: 720, mx: 'auto' }}>
      <FailedScreen error={error} onRetry={retry} />
    </Box>
  );
}
