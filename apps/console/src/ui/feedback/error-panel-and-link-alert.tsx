import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../actions/copy-button.tsx';
import { LinkButton } from '../display/link.tsx';
import { requestIdOf, useErrorText } from './use-error-text.ts';

/** Shows an error in place of content, with a retry button if a retry is possible. */
export function ErrorPanel({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { t } = useTranslation();
  const sentence = useErrorText();
  const requestId = requestIdOf(error);
  const retry =
    onRetry === undefined ? undefined : (
      <Button color="inherit" size="small" onClick={onRetry}>
        {t('retry')}
      </Button>
    );
  return (
    <Alert severity="error" action={retry} sx={{ alignItems: 'center' }}>
      {sentence(error)}
      {requestId !== undefined && (
        <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.5 }}>
          <Typography variant="caption" sx={{ color: 'text.secondary' }}>
            {t('requestId')} {requestId}
          </Typography>
          <CopyButton text={requestId} what={t('requestId')} />
        </Box>
      )}
    </Alert>
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
