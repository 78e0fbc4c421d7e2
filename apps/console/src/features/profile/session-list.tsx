import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { deviceName } from '@switchyard/contract/device-name';
import { IconDeviceDesktop, IconDeviceMobile } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../paths.ts';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Moment } from '../../ui/moment.tsx';
import { notify } from '../../ui/notices.ts';
import { PendingPanel } from '../../ui/pending-panel.tsx';
import { StatusChip } from '../../ui/status-chip.tsx';
import { type OwnSession, sessionsQuery, useEndAllSessions, useEndSession } from './queries.ts';

/** More are behind a button. */
const SHOWN = 5;

/** Where the account is signed in; the present session first. */
export function SessionList() {
  const { t } = useTranslation('profile');
  const { data: sessions, error, refetch } = useQuery(sessionsQuery);
  const [everyOne, setEveryOne] = useState(false);
  if (sessions === undefined) return <PendingPanel error={error} refetch={refetch} height={120} />;
  const ordered = sessions.toSorted(
    (one, other) => Number(other.current) - Number(one.current) || other.last_seen_time - one.last_seen_time,
  );
  const shown = everyOne ? ordered : ordered.slice(0, SHOWN);
  return (
    <>
      <Box component="ul" aria-label={t('section.sessions')} sx={{ listStyle: 'none', m: 0, p: 0 }}>
        {shown.map((session) => (
          <SessionRow key={session.id} session={session} />
        ))}
      </Box>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, mt: 1 }}>
        {shown.length < ordered.length && (
          <Button color="inherit" onClick={() => setEveryOne(true)}>
            {t('showMore', { count: ordered.length - shown.length })}
          </Button>
        )}
        <EndAllButton />
      </Box>
    </>
  );
}

function EndAllButton() {
  const { t } = useTranslation('profile');
  const navigate = useNavigate();
  const endAll = useEndAllSessions();
  return (
    <ConfirmButton
      variant="outlined"
      question={{ title: t('endAllTitle'), text: t('endAllText'), verb: t('endAll') }}
      onConfirm={() => endAll(() => navigate({ to: paths.signIn }))}
    >
      {t('endAll')}
    </ConfirmButton>
  );
}

const methods = ['password', 'passkey', 'github', 'oidc', 'lark', 'wechat', 'set-up'] as const;

/** How its user signed in; a way that is newer than this console keeps its own name. */
function useMethodName(): (method: string) => string {
  const { t } = useTranslation('profile');
  return (method) => {
    const known = methods.find((name) => name === method);
    return known === undefined ? method : t(`method.${known}`);
  };
}

function SessionRow({ session }: { session: OwnSession }) {
  const { t } = useTranslation('profile');
  const end = useEndSession();
  const methodName = useMethodName();
  const name = deviceName(session.device) ?? t('unknownDevice');
  const Icon = /iPhone|Android/.test(name) ? IconDeviceMobile : IconDeviceDesktop;
  return (
    <Box
      component="li"
      sx={{
        display: 'flex',
        alignItems: 'center',
        gap: 1.5,
        py: 1.25,
        '&:not(:last-of-type)': { borderBottom: 1, borderColor: 'divider' },
      }}
    >
      <Box sx={{ color: 'text.secondary', lineHeight: 0 }}>
        <Icon size={22} stroke={1.5} />
      </Box>
      <Box sx={{ flexGrow: 1, minWidth: 0 }}>
        <Typography title={session.device} sx={{ fontWeight: 500 }} noWrap>
          {name}
        </Typography>
        <Typography variant="body2" sx={{ color: 'text.secondary', overflowWrap: 'anywhere' }}>
          {session.address} · {methodName(session.method)} · <Moment seconds={session.last_seen_time} />
        </Typography>
      </Box>
      {session.current ? (
        <StatusChip tone="success">{t('thisDevice')}</StatusChip>
      ) : (
        <ConfirmButton
          size="small"
          variant="outlined"
          aria-label={t('endOf', { name })}
          question={{ title: t('endTitle', { name }), text: t('endText'), verb: t('end') }}
          onConfirm={async () => {
            await end.mutateAsync(session.id);
            notify('success', t('ended', { name }));
          }}
        >
          {t('end')}
        </ConfirmButton>
      )}
    </Box>
  );
}
