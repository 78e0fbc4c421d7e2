import { deviceName } from '@switchyard/contract/accounts/device-name';
import { identityProvider } from '@switchyard/contract/accounts/identities';
import type { UserId } from '@switchyard/contract/ids';
import { IconDeviceDesktop, IconDeviceMobile, IconEye } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../../ui/actions/confirm-button.tsx';
import { DescriptionList } from '../../../ui/display/description-list.tsx';
import { Moment } from '../../../ui/display/formatted-values.tsx';
import { EmptyState, PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { ListRow, RowList } from '../../../ui/layout/list-row.tsx';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import {
  signInMethodsQuery,
  type UserSession,
  useEndUserSession,
  useEndUserSessions,
  userSessionsQuery,
} from './queries.ts';

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

/**
 * Shows which sign-in methods a user has, without details.
 * @param reset control that removes the second factors
 */
export function SignInMethods({ id, reset }: { id: UserId; reset: ReactNode }) {
  const { t } = useTranslation('user-details');
  const { data: ways, error, refetch } = useQuery(signInMethodsQuery(id));
  const wayName = useSignInMethodName();
  const yes = (has: boolean) => t(has ? 'yes' : 'no');
  return (
    <SectionCard title={t('signInWays')} actions={reset}>
      {ways === undefined ? (
        <PendingPanel error={error} refetch={refetch} height={160} />
      ) : (
        <DescriptionList
          facts={[
            [t('way.password'), yes(ways.password)],
            [t('way.email'), yes(ways.email_verified)],
            [t('way.identities'), ways.identities.length === 0 ? t('no') : ways.identities.map(wayName).join(', ')],
            [t('way.passkeys'), String(ways.passkeys)],
            [t('way.totp'), yes(ways.totp)],
            [t('way.recovery'), String(ways.recovery_codes_left)],
          ]}
        />
      )}
    </SectionCard>
  );
}

const ways = ['password', 'passkey', 'set-up', 'impersonation'] as const;

/** Returns a function that names a sign-in method; an unknown method is shown unchanged. */
function useSignInMethodName(): (method: string) => string {
  const { t } = useTranslation(['user-details', 'identities']);
  return (method) => {
    const way = ways.find((known) => known === method);
    if (way !== undefined) return t(`method.${way}`);
    const provider = identityProvider.safeParse(method).data;
    if (provider === undefined) return method;
    return provider === 'github' ? 'GitHub' : t(`identities:provider.${provider}`);
  };
}
