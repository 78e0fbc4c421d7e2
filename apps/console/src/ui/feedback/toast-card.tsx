import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dismissToast, type Toast } from './toasts.ts';

export function ToastCard({ notice }: { notice: Toast }) {
  const { t } = useTranslation();
  const { id, kind, message, detail, undo, duration } = notice;
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held) return undefined;
    const timer = setTimeout(() => dismissToast(id), duration);
    return () => clearTimeout(timer);
  }, [held, id, duration]);
  const action = undo !== undefined && (
    <Button
      size="small"
      color="inherit"
      onClick={() => {
        dismissToast(id);
        undo();
      }}
    >
      {t('undo')}
    </Button>
  );
  return (
    <Alert
      severity={kind}
      role={kind === 'error' ? 'alert' : 'status'}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      {...(action === false ? { onClose: () => dismissToast(id), closeText: t('close') } : { action })}
      sx={{ border: 1, borderColor: 'divider', boxShadow: '0 8px 24px rgb(0 0 0 / 0.16)', overflowWrap: 'anywhere' }}
    >
      {message}
      {detail !== undefined && (
        <Typography variant="caption" component="div" sx={{ color: 'text.secondary' }}>
          {detail}
        </Typography>
      )}
    </Alert>
  );
}
