import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import OutlinedInput from '@mui/material/OutlinedInput';
import Pagination from '@mui/material/Pagination';
import Typography from '@mui/material/Typography';
import type { invitations } from '@switchyard/contract/accounts/invitations';
import type { RouteResponse } from '@switchyard/contract/route';
import { IconExternalLink } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { openInNewTab } from '../../../../ui/browser/open-url.ts';
import { Moment, Money, Name } from '../../../../ui/display/formatted-values.tsx';
import { LinkToCopy } from '../../../../ui/display/link-to-copy.tsx';
import { PendingPanel } from '../../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../../ui/feedback/toasts.ts';
import { useErrorText } from '../../../../ui/feedback/use-error-text.ts';
import { useSearchParams, useSetSearchParams } from '../../../../ui/filters/search-params.ts';
import { FieldFrame } from '../../../../ui/form/field-frame.tsx';
import { useFormat } from '../../../../ui/format/use-format.ts';
import { ListRow, RowList } from '../../../../ui/layout/list-row.tsx';
import { PageHeader } from '../../../../ui/layout/page-header.tsx';
import { SectionCard } from '../../../../ui/layout/section-card.tsx';
import { TextDialog } from '../../../../ui/overlays/reading-dialog.tsx';
import { monoFont } from '../../../../ui/theme/design-tokens.ts';
import { useCurrentUser } from '../../../accounts/session/queries.ts';
import { useSite } from '../../../site/site/queries.ts';
import { BuyCard } from '../checkout/buy-balance-card.tsx';
import { OwnOrderDrawer } from '../checkout/own-order-drawer.tsx';
import { isSorting, OwnOrdersTable } from '../checkout/own-orders-table.tsx';
import { PayDialog } from '../checkout/pay-dialog.tsx';
import { useCheckOnReturn } from '../checkout/use-own-order.ts';
import { invitationListQuery, invitationTermsQuery, useInviteLink, useRedeem } from '../queries.ts';

const columns = { xs: 'minmax(0, 1fr)', lg: 'minmax(0, 1fr) 360px' };

/** Sells balance. `?pay=` shows the payment of an order or its outcome, `?open=` its details. */
export function TopUpPage() {
  const { t } = useTranslation(['top-up', 'orders']);
  const { pay, open, order } = useSearchParams();
  const set = useSetSearchParams();
  // Payment providers redirect buyers to `?order=<number>`.
  const cameBack = isSorting(order) ? undefined : order;
  const toPay = pay ?? cameBack;
  useCheckOnReturn(cameBack);
  const change = (params: { pay?: string; open?: string }) =>
    set({ pay: params.pay, open: params.open, ...(cameBack === undefined ? {} : { order: undefined }) }, 'push');
  return (
    <>
      <PageHeader title={t('title')} />
      <Box sx={{ display: 'grid', gridTemplateColumns: columns, gap: 2, alignItems: 'start' }}>
        <BuyCard onOrdered={(tradeNo) => change({ pay: tradeNo })} />
        <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}>
          <BalanceCard />
          <RedeemCard />
          <InvitationCard />
        </Box>
      </Box>
      <Typography variant="h2" component="h2" sx={{ mt: 4, mb: 1.5 }}>
        {t('orders:ownTitle')}
      </Typography>
      <OwnOrdersTable onOpen={(tradeNo) => change({ open: tradeNo })} />
      <PayDialog tradeNo={toPay} onClose={() => change({})} onDetails={(tradeNo) => change({ open: tradeNo })} />
      <OwnOrderDrawer
        tradeNo={toPay === undefined ? open : undefined}
        onClose={() => change({})}
        onPay={(tradeNo) => change({ pay: tradeNo })}
      />
    </>
  );
}

/** Shows the remaining balance and a link to an external shop. */
function BalanceCard() {
  const { t } = useTranslation('top-up');
  const format = useFormat();
  const self = useCurrentUser();
  const link = useSite()?.top_up_link ?? '';
  const goToShop = () => {
    if (link === '') notify('error', t('noLink'));
    else openInNewTab(link);
  };
  return (
    <SectionCard title={t('balance')}>
      <Box aria-live="polite">
        <Typography sx={{ fontSize: '1.75rem', fontWeight: 600, fontVariantNumeric: 'tabular-nums' }}>
          <Money points={self?.quota} />
        </Typography>
        <Typography variant="body2" sx={{ color: 'text.secondary', mb: 1.5 }}>
          {t('used', { amount: format.points(self?.used_quota) })}
        </Typography>
      </Box>
      <Button
        variant="outlined"
        color="inherit"
        fullWidth
        startIcon={<IconExternalLink size={18} />}
        onClick={goToShop}
      >
        {t('buyElsewhere')}
      </Button>
    </SectionCard>
  );
}

/** Redeems a code. */
export function RedeemCard() {
  const { t } = useTranslation('top-up');
  const format = useFormat();
  const sentence = useErrorText();
  const redeem = useRedeem();
  const [code, setCode] = useState(useCodeOfLink());
  const [refusal, setRefusal] = useState<string>();
  const submit = async () => {
    const key = code.trim();
    if (key === '') {
      setRefusal(t('codeEmpty'));
      return;
    }
    try {
      const worth = await redeem.mutateAsync(key);
      setCode('');
      notify('success', t('redeemed', { amount: format.points(worth) }));
    } catch (error) {
      setRefusal(sentence(error));
    }
  };
  return (
    <SectionCard title={t('redeemTitle')}>
      <Box
        component="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
        sx={{ display: 'grid', gap: 1.5 }}
      >
        <FieldFrame label={t('code')} error={refusal}>
          {({ id, describedBy }) => (
            <OutlinedInput
              id={id}
              fullWidth
              value={code}
              onChange={(event) => {
                setCode(event.target.value);
                setRefusal(undefined);
              }}
              error={refusal !== undefined}
              autoComplete="off"
              inputProps={{ 'aria-describedby': describedBy, spellCheck: false, maxLength: 128 }}
              sx={{ fontFamily: monoFont }}
            />
          )}
        </FieldFrame>
        <Button type="submit" variant="outlined" loading={redeem.isPending}>
          {t('redeem')}
        </Button>
      </Box>
    </SectionCard>
  );
}

/** Returns the code in the URL fragment and removes it at once from address bar and history. */
function useCodeOfLink(): string {
  const [code] = useState(() => new URLSearchParams(location.hash.slice(1)).get('code') ?? '');
  useEffect(() => {
    if (code !== '') history.replaceState(history.state, '', location.pathname + location.search);
  }, [code]);
  return code;
}

type InvitationTerms = RouteResponse<typeof invitations.terms>;

/** Shows the user's invitation link, its rewards and the earned amount. */
function InvitationCard() {
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
