import Skeleton from '@mui/material/Skeleton';
import { ErrorPanel } from './error-panel.tsx';

interface PendingPanelProps {
  /** Of the query: null while it reads. */
  error: unknown;
  refetch: () => Promise<unknown>;
  /** About what the data will take, in pixels. */
  height: number;
}

/** In the place of what a query has not read: its shape, or why it cannot be read and a way to try again. */
export function PendingPanel({ error, refetch, height }: PendingPanelProps) {
  return error === null ? (
    <Skeleton variant="rounded" height={height} />
  ) : (
    <ErrorPanel error={error} onRetry={() => void refetch()} />
  );
}
