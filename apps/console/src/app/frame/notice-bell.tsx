import Badge from '@mui/material/Badge';
import IconButton from '@mui/material/IconButton';
import { IconBell } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { noticesQuery, useDismiss } from '../../features/operations/bell/queries.ts';
import { noticeQuery } from '../../features/site/site/queries.ts';
import { useStored } from '../../ui/browser/stored.ts';

const AnnouncementDialog = lazy(() =>
  import('./announcement-dialog.tsx').then(({ AnnouncementDialog }) => ({ default: AnnouncementDialog })),
);
const NoticePanel = lazy(() =>
  import('../../features/operations/bell/notice-panel.tsx').then(({ NoticePanel }) => ({
    default: NoticePanel,
  })),
);
const SEEN_KEY = 'notice';

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Shows the user's notifications. The site's announcement opens by itself once per new text. */
export function NoticeBell() {
  const { t } = useTranslation('shell');
  const announcement = useQuery(noticeQuery).data ?? '';
  const notices = (useQuery(noticesQuery).data ?? []).filter(({ seen }) => !seen);
  const { mutate: dismiss } = useDismiss();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const [everOpen, setEverOpen] = useState(false);
  const [reading, setReading] = useState(false);
  const [seen, setSeen] = useStored(SEEN_KEY, '', isText);
  const read = () => {
    setAnchor(null);
    setReading(true);
  };
  const endReading = () => {
    setReading(false);
    setSeen(announcement);
    const told = notices.find(({ kind }) => kind === 'announcement');
    // Nobody waits for it: if it fails, the bell goes on telling.
    if (told !== undefined) dismiss([told]);
  };
  return (
    <>
      <IconButton
        onClick={({ currentTarget }) => {
          setAnchor(currentTarget);
          setEverOpen(true);
        }}
        title={t('notices')}
        aria-label={notices.length === 0 ? t('notices') : t('unreadNotices', { count: notices.length })}
        aria-haspopup="dialog"
        aria-expanded={anchor !== null}
      >
        {notices.length === 0 ? (
          <IconBell size={20} />
        ) : (
          <Badge badgeContent={notices.length} color="error">
            <IconBell size={20} />
          </Badge>
        )}
      </IconButton>
      <Suspense fallback={null}>
        {everOpen && (
          <NoticePanel
            anchor={anchor}
            notices={notices}
            onClose={() => setAnchor(null)}
            onAnnouncement={announcement === '' ? undefined : read}
          />
        )}
        {(reading || (announcement !== '' && seen !== announcement)) && (
          <AnnouncementDialog notice={announcement} onClose={endReading} />
        )}
      </Suspense>
    </>
  );
}
