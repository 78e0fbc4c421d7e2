import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { LinkButton } from '../display/link.tsx';
import { ErrorPanel } from './error-panel.tsx';

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

export interface LinkAlertProps {
  severity: 'warning' | 'info';
  text: string;
  to: string;
  /** Label of the link. */
  action: string;
}

/** Shows an alert with a link to the screen where something must be done. */
export function LinkAlert({ severity, text, to, action }: LinkAlertProps) {
  return (
    <Alert
      severity={severity}
      sx={{ mb: 2 }}
      action={
        <LinkButton to={to} size="small" color="inherit">
          {action}
        </LinkButton>
      }
    >
      {text}
    </Alert>
  );
}
