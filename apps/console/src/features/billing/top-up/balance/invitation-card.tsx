import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import type { invitations } from '@switchyard/contract/accounts/invitations';
import type { RouteAnswer } from '@switchyard/contract/route';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LinkToCopy } from '../../../../ui/display/link-to-copy.tsx';
import { PendingPanel } from '../../../../ui/feedback/pending-panel.tsx';
import { useFormat } from '../../../../ui/format/use-format.ts';
import { SectionCard } from '../../../../ui/layout/section-card.tsx';
import { invitationTermsQuery, useInviteLink } from '../queries.ts';
import { InvitationsDialog } from './invitations-dialog.tsx';

type InvitationTerms = RouteAnswer<typeof invitations.terms>;

/** The own link, what it brings, and what it has brought. */
export function InvitationCard() {
  const { t } = useTranslation('top-up');
  const format = useFormat();
  const [listed, setListed] = useState(false);
  const terms = useQuery(invitationTermsQuery).data;
  const link = useInviteLink();
  if (link.data === undefined) {
    return (
      <SectionCard title={t('invite')}>
        <PendingPanel error={link.error} refetch={link.refetch} height={96} />
      </SectionCard>
    );
  }
  return (
    <SectionCard title={t('invite')}>
      <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 1.5 }}>
        {terms !== undefined && <Rewards terms={terms} />}
        <LinkToCopy link={link.data} what={t('inviteLink')} />
        {terms !== undefined && (
          <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, fontSize: '0.8125rem' }}>
            <Box component="span" sx={{ color: 'text.secondary', flexGrow: 1 }}>
              {t('invited', { count: terms.invited, earned: format.points(terms.earned) })}
            </Box>
            {terms.invited > 0 && (
              <Button size="small" color="inherit" onClick={() => setListed(true)}>
                {t('showInvited')}
              </Button>
            )}
          </Box>
        )}
      </Box>
      <InvitationsDialog open={listed} onClose={() => setListed(false)} />
    </SectionCard>
  );
}

function Rewards({ terms }: { terms: InvitationTerms }) {
  const { t } = useTranslation('top-up');
  const format = useFormat();
  const sentences = [
    terms.inviter_reward > 0 ? t('reward.inviter', { amount: format.points(terms.inviter_reward) }) : '',
    terms.invitee_reward > 0 ? t('reward.invitee', { amount: format.points(terms.invitee_reward) }) : '',
    terms.share_percent > 0
      ? t('reward.share', {
          percent: format.percent(terms.share_percent / 100, 2),
          count: terms.share_top_ups,
        })
      : '',
    terms.rewards_per_month > 0 ? t('reward.limit', { count: terms.rewards_per_month }) : '',
  ].filter((sentence) => sentence !== '');
  if (sentences.length === 0) return null;
  return (
    <Typography component="div" variant="body2" sx={{ color: 'text.secondary' }}>
      {sentences.map((sentence) => (
        <div key={sentence}>{sentence}</div>
      ))}
    </Typography>
  );
}
