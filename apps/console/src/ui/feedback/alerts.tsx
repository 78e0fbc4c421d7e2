import Alert from '@mui/material/Alert';
import { LinkButton } from '../display/links.tsx';

export interface LinkAlertProps {
  severity: 'warning' | 'info';
  text: string;
  to: string;
  /** Label of the action at the link's target. */
  action: string;
}

/** Something to be done on another screen. */
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
