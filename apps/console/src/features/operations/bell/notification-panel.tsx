import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Popover from '@mui/material/Popover';
import Typography from '@mui/material/Typography';
import type { BellNotification, BellNotificationKind } from '@switchyard/contract/operations/bell';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { isolateBidi } from '../../../i18n/bidi.ts';
import { paths } from '../../../paths.ts';
import { Moment } from '../../../ui/display/formatted-values.tsx';
import { LinkButton } from '../../../ui/display/link.tsx';
import type { Tone } from '../../../ui/display/status-and-tag-chips.tsx';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { RowList } from '../../../ui/layout/list-row.tsx';
import { useDismissNotification } from './queries.ts';

interface NoticePanelProps {
  anchor: HTMLElement | null;
  /** Notifications that are not dismissed. */
  notices: readonly BellNotification[];
  onClose: () => void;
  /** Callback that opens the announcement; undefined when there is none. */
  onAnnouncement: (() => void) | undefined;
}

/** Lists the user's notifications, each with a link to the screen where its cause can be fixed. */
export function NotificationPanel({ anchor, notices, onClose, onAnnouncement }: NoticePanelProps) {
  const { t } = useTranslation('notices');
  const titleId = useId();
  const notifyError = useNotifyError();
  const { mutate } = useDismissNotification();
  const dismiss = (dismissed: readonly BellNotification[]) => mutate(dismissed, { onError: notifyError });
  return (
    <Popover
      open={anchor !== null}
      anchorEl={anchor}
      onClose={onClose}
      anchorOrigin={{ vertical: 'bottom', horizontal: 'right' }}
      transformOrigin={{ vertical: 'top', horizontal: 'right' }}
      slotProps={{
        paper: { role: 'dialog', 'aria-labelledby': titleId, sx: { width: 400, maxWidth: 'calc(100vw - 24px)' } },
      }}
    >
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, px: 2, pt: 1.5 }}>
        <Typography id={titleId} variant="h3" component="h2" sx={{ flexGrow: 1 }}>
          {t('title')}
        </Typography>
        {notices.length > 1 && (
          <Button size="small" color="inherit" onClick={() => dismiss(notices)}>
            {t('dismissAll')}
          </Button>
        )}
      </Box>
      <Box sx={{ px: 2, pb: 1 }}>
        {notices.length === 0 ? (
          <Typography variant="body2" sx={{ color: 'text.secondary', py: 2 }}>
            {t('none')}
          </Typography>
        ) : (
          <RowList label={t('title')}>
            {notices.map((notice) => (
              <NoticeRow
                key={notice.kind}
                notice={notice}
                onDismiss={() => dismiss([notice])}
                onLeave={onClose}
                onAnnouncement={onAnnouncement}
              />
            ))}
          </RowList>
        )}
        {onAnnouncement !== undefined && !notices.some(({ kind }) => kind === 'announcement') && (
          <Button size="small" onClick={onAnnouncement}>
            {t('lastAnnouncement')}
          </Button>
        )}
      </Box>
    </Popover>
  );
}

interface NoticeRowProps {
  notice: BellNotification;
  onDismiss: () => void;
  onLeave: () => void;
  onAnnouncement: (() => void) | undefined;
}

function NoticeRow({ notice, onDismiss, onLeave, onAnnouncement }: NoticeRowProps) {
  const { t } = useTranslation('notices');
  const { kind, count, names, since } = notice;
  const sentence = t(`kind.${kind}`, { count });
  const list = names.length === 0 || hasOwnWords.has(kind) ? '' : names.map(isolateBidi).join(', ');
  const more = count > names.length && list !== '' ? t('more', { count: count - names.length }) : '';
  return (
    <Box component="li" sx={{ py: 1.25, display: 'flex', gap: 1.5, '& + &': { borderTop: 1, borderColor: 'divider' } }}>
      <Box
        aria-hidden
        sx={{ flex: 'none', width: 8, height: 8, mt: 0.75, borderRadius: '50%', bgcolor: `${toneOf[kind]}.main` }}
      />
      <Box sx={{ minWidth: 0, flexGrow: 1, overflowWrap: 'anywhere' }}>
        <Typography variant="body2" sx={{ fontWeight: 500 }}>
          {sentence}
        </Typography>
        <Typography variant="body2" component="div" sx={{ color: 'text.secondary', fontSize: '0.8125rem' }}>
          {list} {more}
          {since !== null && (
            <>
              {' '}
              <Moment seconds={since} />
            </>
          )}
        </Typography>
        <Box sx={{ display: 'flex', gap: 0.5, ml: -0.75, mt: 0.25 }}>
          {kind === 'announcement' ? (
            <Button size="small" onClick={onAnnouncement}>
              {t('go.announcement')}
            </Button>
          ) : (
            // Closes the panel when the link is followed.
            <Box component="span" onClick={onLeave}>
              <LinkButton {...placeOf[kind]} size="small">
                {t(`go.${kind}`)}
              </LinkButton>
            </Box>
          )}
          <Button size="small" color="inherit" onClick={onDismiss} aria-label={t('dismissThis', { sentence })}>
            {t('dismiss')}
          </Button>
        </Box>
      </Box>
    </Box>
  );
}

/** Kinds whose names are not listed, because the sentence is complete or the names are internal. */
const hasOwnWords: ReadonlySet<BellNotification['kind']> = new Set(['low-balance', 'overload', 'jobs-failed']);

interface Place {
  to: string;
  search?: Record<string, string>;
  hash?: string;
}

/** Screens where the cause of each notification can be fixed. */
const placeOf: Record<Exclude<BellNotificationKind, 'announcement'>, Place> = {
  'low-balance': { to: paths.topUp },
  'token-spent': { to: paths.apiKeys },
  'token-expires': { to: paths.apiKeys, search: { order: 'expired_time' } },
  'payment-failed': { to: paths.topUp },
  'channels-disabled': { to: paths.channels, search: { status: 'auto-disabled' } },
  'models-unpriced': { to: paths.catalogue },
  'rates-missing': { to: paths.prices },
  'models-retired': { to: paths.catalogue },
  'payments-review': { to: paths.orders, search: { review: 'true' } },
  'refunds-failed': { to: paths.orders },
  'books-differ': { to: paths.users },
  overload: { to: paths.dashboard },
  'jobs-failed': { to: paths.systemInfo, search: { tab: 'jobs' } },
  'certificates-end': { to: paths.systemInfo },
  'mail-failed': { to: paths.settings, hash: 'mail' },
  'destination-off': { to: paths.profile, hash: 'alerts' },
  'site-destination-off': { to: paths.settings, hash: 'alerts' },
  'new-version': { to: paths.systemInfo },
};

const toneOf: Record<BellNotificationKind, Tone> = {
  announcement: 'primary',
  'low-balance': 'warning',
  'token-spent': 'warning',
  'token-expires': 'warning',
  'payment-failed': 'error',
  'channels-disabled': 'error',
  'models-unpriced': 'warning',
  'rates-missing': 'warning',
  'models-retired': 'warning',
  'payments-review': 'error',
  'refunds-failed': 'error',
  'books-differ': 'error',
  overload: 'error',
  'jobs-failed': 'error',
  'certificates-end': 'warning',
  'mail-failed': 'warning',
  'destination-off': 'warning',
  'site-destination-off': 'warning',
  'new-version': 'info',
};
