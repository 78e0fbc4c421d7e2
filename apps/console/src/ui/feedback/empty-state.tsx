import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';

/** One sentence and one button. */
export function EmptyState({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <Box sx={{ display: 'grid', justifyItems: 'center', gap: 1.5, py: 7, px: 2, textAlign: 'center' }}>
      <Typography sx={{ color: 'text.secondary', maxWidth: 480 }}>{children}</Typography>
      {action}
    </Box>
  );
}
