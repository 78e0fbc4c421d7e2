import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import { useSearchParams, useSetSearchParams } from '../../../../ui/filters/search-params.ts';
import { PageHeader } from '../../../../ui/layout/page-header.tsx';
import { BuyCard } from '../checkout/buy-card.tsx';
import { OwnOrderDrawer } from '../checkout/own-order-drawer.tsx';
import { isSorting, OwnOrdersTable } from '../checkout/own-orders-table.tsx';
import { PayDialog } from '../checkout/pay-dialog.tsx';
import { useCheckOnReturn } from '../checkout/use-check-on-return.ts';
import { BalanceCard } from './balance-card.tsx';
import { InvitationCard } from './invitation-card.tsx';
import { RedeemCard } from './redeem-card.tsx';

const columns = { xs: 'minmax(0, 1fr)', lg: 'minmax(0, 1fr) 360px' };

/** Buying balance. `?pay=` pays an order or says what became of it, `?open=` shows its record. */
export function TopUpPage() {
  const { t } = useTranslation(['top-up', 'orders']);
  const { pay, open, order } = useSearchParams();
  const set = useSetSearchParams();
  // Payment companies send buyers back to `?order=<number>`.
  const cameBack = isSorting(order) ? undefined : order;
  const toPay = pay ?? cameBack;
  useCheckOnReturn(cameBack);
  const change = (params: { pay?: string; open?: string }) =>
    set(
      { pay: params.pay, open: params.open, ...(cameBack === undefined ? {} : { order: undefined }) },
      'push',
    );
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
      <PayDialog
        tradeNo={toPay}
        onClose={() => change({})}
        onDetails={(tradeNo) => change({ open: tradeNo })}
      />
      <OwnOrderDrawer
        tradeNo={toPay === undefined ? open : undefined}
        onClose={() => change({})}
        onPay={(tradeNo) => change({ pay: tradeNo })}
      />
    </>
  );
}
