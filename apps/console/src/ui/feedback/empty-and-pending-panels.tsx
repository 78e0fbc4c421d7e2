import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { ErrorPanel } from './error-panel-and-link-alert.tsx';

/** Shows a sentence and a button in an empty list. */
export function EmptyState({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <Box sx={{ display: 'grid', justifyItems: 'center', gap: 1.5, py: 7, px: 2, textAlign: 'center' }}>
      <Typography sx={{ color: 'text.secondary', maxWidth: 480 }}>{children}</Typography>
      {action}
    </Box>
  );
}

interface PendingPanelProps {
  /** Error of the query; null while it loads. */
  error: unknown;
  refetch: () => Promise<unknown>;
  /** Approximate height of the content in pixels. */
  height: number;
}

/** Shows a placeholder while a query loads, or its error with a retry button. */
export function PendingPanel({ error, refetch, height }: PendingPanelProps) {
  return error === null ? (
    <Skeleton variant="rounded" height={height} />
  ) : (
    <ErrorPanel error={error} onRetry={() => void refetch()} />
  );
}
