import { identityProvider } from '@switchyard/contract/accounts/identities';
import type { UserId } from '@switchyard/contract/ids';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { DescriptionList } from '../../../ui/display/description-list.tsx';
import { PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { signInMethodsQuery } from './queries.ts';

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
export function useSignInMethodName(): (method: string) => string {
  const { t } = useTranslation(['user-details', 'identities']);
  return (method) => {
    const way = ways.find((known) => known === method);
    if (way !== undefined) return t(`method.${way}`);
    const provider = identityProvider.safeParse(method).data;
    if (provider === undefined) return method;
    return provider === 'github' ? 'GitHub' : t(`identities:provider.${provider}`);
  };
}
