import Alert from '@mui/material/Alert';
import { LinkButton } from '../display/link.tsx';

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
