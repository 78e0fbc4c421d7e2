import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { currentNotices, dismiss, type Notice, subscribeNotices } from './notices.ts';

/** The notices on the screen: top right, on phones at the bottom. */
export function NoticeStack() {
  const notices = useSyncExternalStore(subscribeNotices, currentNotices);
  return (
    <Box
      sx={{
        position: 'fixed',
        zIndex: 'snackbar',
        top: { sm: 16 },
        right: { xs: 12, sm: 16 },
        bottom: { xs: 16, sm: 'auto' },
        left: { xs: 12, sm: 'auto' },
        width: { sm: 380 },
        display: 'grid',
        gap: 1,
      }}
    >
      {notices.map((notice) => (
        <NoticeCard key={notice.id} notice={notice} />
      ))}
    </Box>
  );
}

function NoticeCard({ notice }: { notice: Notice }) {
  const { t } = useTranslation();
  const { id, kind, message, detail, undo, duration } = notice;
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held) return undefined;
    const timer = setTimeout(() => dismiss(id), duration);
    return () => clearTimeout(timer);
  }, [held, id, duration]);
  const action = undo !== undefined && (
    <Button
      size="small"
      color="inherit"
      onClick={() => {
        dismiss(id);
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
      {...(action === false ? { onClose: () => dismiss(id), closeText: t('close') } : { action })}
      sx={{
        border: 1,
        borderColor: 'divider',
        boxShadow: '0 8px 24px rgb(0 0 0 / 0.16)',
        overflowWrap: 'anywhere',
      }}
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
