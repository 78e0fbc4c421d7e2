import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';

export function ScreenSkeleton() {
  return (
    <Box aria-hidden>
      <Skeleton width={180} height={36} sx={{ mb: 1.5 }} />
      <Skeleton variant="rounded" height={420} sx={{ borderRadius: 1.5 }} />
    </Box>
  );
}
