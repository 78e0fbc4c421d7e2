import { deviceName } from '@switchyard/contract/accounts/device-name';
import type { UserId } from '@switchyard/contract/ids';
import { IconDeviceDesktop, IconDeviceMobile, IconEye } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../../ui/actions/confirm-button.tsx';
import { Moment } from '../../../ui/display/formatted-values.tsx';
import { EmptyState, PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { ListRow, RowList } from '../../../ui/layout/list-row.tsx';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { type UserSession, useEndUserSession, useEndUserSessions, userSessionsQuery } from './queries.ts';
import { useSignInMethodName } from './sign-in-methods.tsx';

interface UserSessionsProps {
  id: UserId;
  /** True if the signed-in user may end the sessions. */
  may: boolean;
}

export function UserSessions({ id, may }: UserSessionsProps) {
  const { t } = useTranslation('user-details');
  const { data: sessions, error, refetch } = useQuery(userSessionsQuery(id));
  const endAll = useEndUserSessions();
  return (
    <SectionCard
      title={t('sessions')}
      actions={
        may &&
        sessions !== undefined &&
        sessions.length > 0 && (
          <ConfirmButton
            size="small"
            variant="outlined"
            question={{ title: t('endAllTitle'), text: t('endText'), verb: t('endAll') }}
            onConfirm={async () => {
              await endAll.mutateAsync(id);
              notify('success', t('endedAll'));
            }}
          >
            {t('endAll')}
          </ConfirmButton>
        )
      }
    >
      {sessions === undefined && <PendingPanel error={error} refetch={refetch} height={120} />}
      {sessions?.length === 0 && <EmptyState>{t('noSessions')}</EmptyState>}
      <RowList label={t('sessions')}>
        {sessions?.map((session) => (
          <SessionRow key={session.id} userId={id} session={session} may={may} />
        ))}
      </RowList>
    </SectionCard>
  );
}

function SessionRow({ userId, session, may }: { userId: UserId; session: UserSession; may: boolean }) {
  const { t } = useTranslation('user-details');
  const end = useEndUserSession();
  const name = deviceName(session.device) ?? t('unknownDevice');
  const wayName = useSignInMethodName();
  return (
    <ListRow
      icon={<SessionIcon method={session.method} name={name} />}
      hover={session.device}
      title={name}
      text={
        <>
          {session.address} · {wayName(session.method)} · <Moment seconds={session.last_seen_time} />
        </>
      }
      actions={
        may && (
          <ConfirmButton
            size="small"
            variant="outlined"
            aria-label={t('endOf', { name })}
            question={{ title: t('endTitle', { name }), text: t('endText'), verb: t('end') }}
            onConfirm={async () => {
              await end.mutateAsync({ id: userId, session: session.id });
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

function SessionIcon({ method, name }: { method: string; name: string }) {
  const looks = { size: 22, stroke: 1.5 };
  if (method === 'impersonation') return <IconEye {...looks} />;
  return /iPhone|Android/.test(name) ? <IconDeviceMobile {...looks} /> : <IconDeviceDesktop {...looks} />;
}
