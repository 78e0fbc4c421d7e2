import Box from '@mui/material/Box';
import type { Order } from '@switchyard/contract/billing/orders';
import type { TFunction } from 'i18next';
import { Name } from '../../../ui/display/formatted-values.tsx';
import { StatusChip } from '../../../ui/display/status-and-tag-chips.tsx';
import { UNKNOWN } from '../../../ui/format/format.ts';
import type { useFormat } from '../../../ui/format/use-format.ts';
import { OrderStatusChip } from '../../../ui/product/order-status-and-timeline.tsx';
import { PaymentProviderName } from '../../../ui/product/payment-provider-label.tsx';
import { momentCell, moneyCell, monoCell, optionalMonoCell } from '../../../ui/table/cells-and-user-columns.tsx';
import { columnsFor } from '../../../ui/table/table-columns-and-props.ts';

const column = columnsFor<Order>();
type Words = TFunction<'orders'>;
type Format = ReturnType<typeof useFormat>;

export function orderColumns(t: Words, format: Format) {
  return [
    column.field('created_at', t('created'), { size: 110, sortable: true, card: 'figure', cell: momentCell }),
    column.field('user_id', t('user'), {
      size: 140,
      sortable: true,
      card: 'title',
      cell: (_, order) => <Name id={order.user_id}>{order.username}</Name>,
    }),
    column.field('gateway_id', t('gateway'), {
      size: 160,
      sortable: true,
      cell: (_, order) => (
        <PaymentProviderName id={order.gateway_id} type={order.gateway_type} name={order.gateway_name} />
      ),
    }),
    column.field('status', t('statusLabel'), {
      size: 180,
      sortable: true,
      card: 'state',
      cell: (_, order) => (
        <Box component="span" sx={{ display: 'inline-flex', gap: 0.75, verticalAlign: 'middle' }}>
          <OrderStatusChip status={order.status} />
          {order.review !== '' && (
            <StatusChip tone="warning" hint={t(`review.${order.review}`)}>
              {t('reviewChip')}
            </StatusChip>
          )}
        </Box>
      ),
    }),
    ...moneyColumns(t, format),
    column.field('trade_no', t('tradeNo'), { size: 200, cell: monoCell }),
    column.field('gateway_no', t('gatewayNo'), { size: 210, hidden: true, cell: optionalMonoCell }),
  ];
}

function moneyColumns(t: Words, format: Format) {
  return [
    column.field('amount', t('amount'), { size: 90, sortable: true, align: 'end', cell: format.exactUsd }),
    column.field('order_amount', t('toPay'), {
      size: 110,
      align: 'end',
      card: 'figure',
      cell: (_, order) => format.money(order.order_amount, order.order_currency),
    }),
    column.field('refunded_amount', t('refunded'), {
      size: 100,
      align: 'end',
      cell: (_, order) =>
        order.refunded_amount === 0 ? UNKNOWN : format.money(order.refunded_amount, order.order_currency),
    }),
    column.field('fee', t('fee'), { size: 100, align: 'end', hidden: true, cell: format.exactUsd }),
    column.field('discount', t('discount'), { size: 100, align: 'end', hidden: true, cell: format.exactUsd }),
    column.field('quota', t('quota'), { size: 110, align: 'end', hidden: true, cell: moneyCell }),
  ];
}
