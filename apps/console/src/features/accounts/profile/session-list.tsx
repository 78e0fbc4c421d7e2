import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { deviceName } from '@switchyard/contract/accounts/device-name';
import { IconDeviceDesktop, IconDeviceMobile } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { ConfirmButton } from '../../../ui/actions/confirm-button.tsx';
import { Moment } from '../../../ui/display/formatted-values.tsx';
import { StatusChip } from '../../../ui/display/status-and-tag-chips.tsx';
import { PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { ListRow, RowList } from '../../../ui/layout/list-row.tsx';
import { type OwnSession, sessionsQuery, useEndAllSessions, useEndSession } from './queries.ts';

/** Sessions that are visible before the list is expanded. */
const SHOWN = 5;

/** Lists the account's sessions, the current one first. */
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
      <RowList label={t('section.sessions')}>
        {shown.map((session) => (
          <SessionRow key={session.id} session={session} />
        ))}
      </RowList>
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

const methods = ['password', 'passkey', 'github', 'oidc', 'lark', 'wechat', 'set-up', 'impersonation'] as const;

/** Returns a function that names a session's sign-in method; an unknown method is shown unchanged. */
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
    <ListRow
      icon={<Icon size={22} stroke={1.5} />}
      hover={session.device}
      title={name}
      text={
        <>
          {session.address} · {methodName(session.method)} · <Moment seconds={session.last_seen_time} />
        </>
      }
      actions={
        session.current ? (
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
        )
      }
    />
  );
}
