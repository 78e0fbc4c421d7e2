import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { IconDownload } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../../../ui/actions/confirm-button.tsx';
import { CopyableId } from '../../../../ui/display/copyable-text.tsx';
import { type DescriptionEntry, DescriptionList } from '../../../../ui/display/description-list.tsx';
import { Moment, Name } from '../../../../ui/display/formatted-values.tsx';
import { PendingPanel } from '../../../../ui/feedback/empty-and-pending-panels.tsx';
import { useFormat } from '../../../../ui/format/use-format.ts';
import { DetailDrawer } from '../../../../ui/overlays/detail-drawer.tsx';
import { OrderStatusChip, OrderTimeline } from '../../../../ui/product/order-status-and-timeline.tsx';
import { type OwnOrderDetail, useCloseOwnOrder } from '../../orders/queries.ts';
import { receiptUrl } from '../queries.ts';
import { useCheckNow, useOwnOrder } from './own-order-hooks.ts';

interface OwnOrderDrawerProps {
  tradeNo: string | undefined;
  onClose: () => void;
  onPay: (tradeNo: string) => void;
}

/** Shows one of the user's orders with its timeline. */
export function OwnOrderDrawer({ tradeNo, onClose, onPay }: OwnOrderDrawerProps) {
  const { t } = useTranslation('orders');
  return (
    <DetailDrawer open={tradeNo !== undefined} onClose={onClose} title={t('orderTitle')}>
      {tradeNo !== undefined && <Details tradeNo={tradeNo} onPay={() => onPay(tradeNo)} />}
    </DetailDrawer>
  );
}

function Details({ tradeNo, onPay }: { tradeNo: string; onPay: () => void }) {
  const { data: order, error, refetch } = useOwnOrder(tradeNo);
  if (order === undefined) return <PendingPanel error={error} refetch={refetch} height={280} />;
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 3 }}>
      <Box sx={{ display: 'flex', alignItems: 'center', flexWrap: 'wrap', gap: 1 }}>
        <OrderStatusChip status={order.status} />
        <Box sx={{ flexGrow: 1 }} />
        <Actions order={order} onPay={onPay} />
      </Box>
      <OwnOrderFacts order={order} />
      <OrderTimeline events={order.events} />
    </Box>
  );
}

function Actions({ order, onPay }: { order: OwnOrderDetail; onPay: () => void }) {
  const { t } = useTranslation(['top-up', 'orders']);
  const { check, checking } = useCheckNow();
  const close = useCloseOwnOrder();
  const { trade_no, status } = order;
  return (
    <>
      {status === 'pending' && (
        <ConfirmButton
          size="small"
          color="inherit"
          question={{ title: t('giveUpTitle'), text: t('giveUpText'), verb: t('giveUp') }}
          onConfirm={() => close.mutateAsync(trade_no)}
        >
          {t('giveUp')}
        </ConfirmButton>
      )}
      {(status === 'pending' || status === 'closed' || status === 'failed') && (
        <Button size="small" variant="outlined" color="inherit" loading={checking} onClick={() => void check(trade_no)}>
          {t('orders:checkNow')}
        </Button>
      )}
      {status === 'pending' && order.payment !== null && (
        <Button size="small" variant="contained" onClick={onPay}>
          {t('continuePaying')}
        </Button>
      )}
      {order.paid_at !== null && (
        <Button
          component="a"
          size="small"
          variant="outlined"
          color="inherit"
          startIcon={<IconDownload size={16} />}
          href={receiptUrl(trade_no)}
          download
        >
          {t('receipt')}
        </Button>
      )}
    </>
  );
}

function OwnOrderFacts({ order }: { order: OwnOrderDetail }) {
  const { t } = useTranslation('orders');
  const format = useFormat();
  const money = (amount: number) => format.money(amount, order.order_currency);
  const facts: DescriptionEntry[] = [
    [t('amount'), format.exactUsd(order.amount)],
    [t('toPay'), money(order.order_amount)],
    [t('discount'), format.exactUsd(order.discount)],
    [t('fee'), format.exactUsd(order.fee)],
    [
      t('gateway'),
      <Name key="gateway" id={order.gateway_id}>
        {order.gateway_name}
      </Name>,
    ],
    [t('created'), <Moment key="created" seconds={order.created_at} />],
    [t('paidAt'), <Moment key="paid" seconds={order.paid_at ?? undefined} />],
  ];
  if (order.refunded_amount > 0) facts.push([t('refunded'), money(order.refunded_amount)]);
  facts.push([t('tradeNo'), <CopyableId key="trade" text={order.trade_no} what={t('tradeNo')} />]);
  if (order.gateway_no !== '')
    facts.push([t('gatewayNo'), <CopyableId key="no" text={order.gateway_no} what={t('gatewayNo')} />]);
  return <DescriptionList facts={facts} />;
}
