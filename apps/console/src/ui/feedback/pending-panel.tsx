import Skeleton from '@mui/material/Skeleton';
import { ErrorPanel } from './error-panel.tsx';

interface PendingPanelProps {
  /** Error of the query: null while it loads. */
  error: unknown;
  refetch: () => Promise<unknown>;
  /** About what the data will take, in pixels. */
  height: number;
}

/** Shows a placeholder while a query loads, or its error and a button to retry. */
export function PendingPanel({ error, refetch, height }: PendingPanelProps) {
  return error === null ? (
    <Skeleton variant="rounded" height={height} />
  ) : (
    <ErrorPanel error={error} onRetry={() => void refetch()} />
  );
}
