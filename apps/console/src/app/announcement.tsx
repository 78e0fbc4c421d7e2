import IconButton from '@mui/material/IconButton';
import { IconBell } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { noticeQuery } from '../features/site/queries.ts';
import { useStored } from '../ui/stored.ts';

const AnnouncementDialog = lazy(() =>
  import('./announcement-dialog.tsx').then(({ AnnouncementDialog }) => ({ default: AnnouncementDialog })),
);
const SEEN_KEY = 'notice';

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** The site's announcement: opens by itself once per new text, and at any time from the bell. */
export function Announcement() {
  const { t } = useTranslation('shell');
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
      <IconButton
        onClick={() => setAsked(true)}
        title={t('announcement.title')}
        aria-label={t('announcement.title')}
      >
        <IconBell size={20} />
      </IconButton>
      {open && (
        <Suspense fallback={null}>
          <AnnouncementDialog notice={notice} onClose={close} />
        </Suspense>
      )}
    </>
  );
}
