import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import { IconBell } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { noticeQuery } from '../features/site/queries.ts';
import { readStored, writeStored } from '../ui/stored.ts';

const Markdown = lazy(() => import('../ui/markdown.tsx').then(({ Markdown }) => ({ default: Markdown })));
const SEEN_KEY = 'notice';

/** The site's announcement: opens by itself once per new text, and at any time from the bell. */
export function Announcement() {
  const { t } = useTranslation('shell');
  const titleId = useId();
  const notice = useQuery(noticeQuery).data ?? '';
  const [open, setOpen] = useState(false);
  useEffect(() => {
    if (notice === '' || readStored(SEEN_KEY) === notice) return;
    writeStored(SEEN_KEY, notice);
    setOpen(true);
  }, [notice]);
  const close = () => setOpen(false);
  return (
    <>
      <Tooltip title={t('announcement.title')}>
        <IconButton onClick={() => setOpen(true)} aria-label={t('announcement.title')}>
          <IconBell size={20} />
        </IconButton>
      </Tooltip>
      <Dialog open={open} onClose={close} aria-labelledby={titleId} maxWidth="sm" fullWidth>
        <DialogTitle id={titleId}>{t('announcement.title')}</DialogTitle>
        <DialogContent>
          {notice === '' ? (
            t('announcement.none')
          ) : (
            <Suspense fallback={null}>{open && <Markdown text={notice} />}</Suspense>
          )}
        </DialogContent>
        <DialogActions>
          <Button onClick={close}>{t('announcement.close')}</Button>
        </DialogActions>
      </Dialog>
    </>
  );
}
