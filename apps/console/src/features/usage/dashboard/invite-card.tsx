import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { LinkButton } from '../../../ui/display/link.tsx';
import { LinkToCopy } from '../../../ui/display/link-to-copy.tsx';
import { PendingPanel } from '../../../ui/feedback/pending-panel.tsx';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { useInviteLink } from '../../billing/top-up/queries.ts';

export function InviteCard() {
  const { t } = useTranslation('dashboard');
  const { data, error, refetch } = useInviteLink();
  return (
    <SectionCard
      title={t('invite')}
      actions={
        <LinkButton to={paths.topUp} size="small" color="inherit">
          {t('inviteTerms')}
        </LinkButton>
      }
    >
      {data === undefined ? (
        <PendingPanel error={error} refetch={refetch} height={36} />
      ) : (
        <LinkToCopy link={data} what={t('inviteLink')} />
      )}
    </SectionCard>
  );
}
