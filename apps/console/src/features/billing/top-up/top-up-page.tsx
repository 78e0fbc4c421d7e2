import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { IconExternalLink } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { openInNewTab } from '../../../ui/browser/open-url.ts';
import { Money } from '../../../ui/display/formatted-values.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useSearchParams, useSetSearchParams } from '../../../ui/filters/search-params.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { useCurrentUser } from '../../accounts/session/queries.ts';
import { useSite } from '../../site/site/queries.ts';
import { InvitationCard } from './balance/invitation-card.tsx';
import { RedeemCard } from './balance/redeem-code-card.tsx';
import { BuyCard } from './checkout/buy-balance-card.tsx';
import { OwnOrderDrawer } from './checkout/own-order-drawer.tsx';
import { useCheckOnReturn } from './checkout/own-order-hooks.ts';
import { isSorting, OwnOrdersTable } from './checkout/own-orders-table.tsx';
import { PayDialog } from './checkout/pay-dialog.tsx';

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
