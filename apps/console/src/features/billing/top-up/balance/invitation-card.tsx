import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Pagination from '@mui/material/Pagination';
import Typography from '@mui/material/Typography';
import type { invitations } from '@switchyard/contract/accounts/invitations';
import type { RouteResponse } from '@switchyard/contract/route';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LinkToCopy } from '../../../../ui/display/copyable-text.tsx';
import { Moment, Money, Name } from '../../../../ui/display/formatted-values.tsx';
import { PendingPanel } from '../../../../ui/feedback/empty-and-pending-panels.tsx';
import { useFormat } from '../../../../ui/format/use-format.ts';
import { ListRow, RowList } from '../../../../ui/layout/list-row.tsx';
import { SectionCard } from '../../../../ui/layout/section-card.tsx';
import { TextDialog } from '../../../../ui/overlays/reading-dialog.tsx';
import { invitationListQuery, invitationTermsQuery, useInviteLink } from '../queries.ts';

type InvitationTerms = RouteResponse<typeof invitations.terms>;

/** Shows the user's invitation link, its rewards and the earned amount. */
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
      ? t('reward.share', { percent: format.percent(terms.share_percent / 100, 2), count: terms.share_top_ups })
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

interface InvitationsDialogProps {
  open: boolean;
  onClose: () => void;
}

const PAGE_SIZE = 10;

/** Lists the invited users and their rewards. */
function InvitationsDialog({ open, onClose }: InvitationsDialogProps) {
  const { t } = useTranslation('top-up');
  return (
    <TextDialog open={open} onClose={onClose} title={t('invitedTitle')} maxWidth="xs">
      <Invitations label={t('invitedTitle')} />
    </TextDialog>
  );
}

function Invitations({ label }: { label: string }) {
  const [page, setPage] = useState(1);
  const { data, error, refetch } = useQuery(invitationListQuery(page, PAGE_SIZE));
  if (data === undefined) return <PendingPanel error={error} refetch={refetch} height={200} />;
  // Name and time do not identify a row.
  const rows = data.data.map((row, place) => ({ ...row, place }));
  const pages = Math.ceil(data.total_count / PAGE_SIZE);
  return (
    <>
      <RowList label={label}>
        {rows.map(({ name, created_time, reward, place }) => (
          <ListRow
            key={place}
            title={<Name>{name}</Name>}
            text={<Moment seconds={created_time} />}
            actions={<Money points={reward} />}
          />
        ))}
      </RowList>
      {pages > 1 && <Pagination count={pages} page={page} onChange={(_, next) => setPage(next)} size="small" />}
    </>
  );
}
