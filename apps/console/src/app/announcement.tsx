import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import { IconBell } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { noticeQuery } from '../features/site/queries.ts';
import { useStored } from '../ui/stored.ts';

const Markdown = lazy(() => import('../ui/markdown.tsx').then(({ Markdown }) => ({ default: Markdown })));
const SEEN_KEY = 'notice';

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** The site's announcement: opens by itself once per new text, and at any time from the bell. */
export function Announcement() {
  const { t } = useTranslation('shell');
  const titleId = useId();
  const notice = useQuery(noticeQuery).data ?? '';
  const [asked, setAsked] = useState(false);
  const [seen, setSeen] = useStored(SEEN_KEY, '', isText);
  const open = asked || (notice !== '' && seen !== notice);
  const close = () => {
    setAsked(false);
    setSeen(notice);
  };
  return (
    <>
      <Tooltip title={t('announcement.title')}>
        <IconButton onClick={() => setAsked(true)} aria-label={t('announcement.title')}>
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
