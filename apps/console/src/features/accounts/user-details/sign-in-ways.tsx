import type { UserId } from '@switchyard/contract/ids';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Facts } from '../../../ui/display/facts.tsx';
import { PendingPanel } from '../../../ui/feedback/pending-panel.tsx';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { signInWaysQuery } from './queries.ts';
import { useWayName } from './way-name.ts';

/** Shows a user's sign-in methods: only that they exist. @param reset the control that removes the second factors */
export function SignInWays({ id, reset }: { id: UserId; reset: ReactNode }) {
  const { t } = useTranslation('user-details');
  const { data: ways, error, refetch } = useQuery(signInWaysQuery(id));
  const wayName = useWayName();
  const yes = (has: boolean) => t(has ? 'yes' : 'no');
  return (
    <SectionCard title={t('signInWays')} actions={reset}>
      {ways === undefined ? (
        <PendingPanel error={error} refetch={refetch} height={160} />
      ) : (
        <Facts
          facts={[
            [t('way.password'), yes(ways.password)],
            [t('way.email'), yes(ways.email_verified)],
            [
              t('way.identities'),
              ways.identities.length === 0 ? t('no') : ways.identities.map(wayName).join(', '),
            ],
            [t('way.passkeys'), String(ways.passkeys)],
            [t('way.totp'), yes(ways.totp)],
            [t('way.recovery'), String(ways.recovery_codes_left)],
          ]}
        />
      )}
    </SectionCard>
  );
}
