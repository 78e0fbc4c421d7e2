import Box from '@mui/material/Box';
import type { Order } from '@switchyard/contract/billing/orders';
import type { TFunction } from 'i18next';
import { StatusChip } from '../../../ui/display/chips.tsx';
import { Moment, Money, Name } from '../../../ui/display/inline-values.tsx';
import { Mono } from '../../../ui/display/mono.tsx';
import { UNKNOWN } from '../../../ui/format/format.ts';
import type { useFormat } from '../../../ui/format/use-format.ts';
import { OrderStatusChip } from '../../../ui/product/order-status.tsx';
import { PaymentProviderName } from '../../../ui/product/payment-provider-label.tsx';
import { columnsFor } from '../../../ui/table/table-features.ts';

const helper = columnsFor<Order>();
type Words = TFunction<'orders'>;
type Format = ReturnType<typeof useFormat>;

export function orderColumns(t: Words, format: Format) {
  return helper.columns([
    helper.accessor('created_at', {
      header: t('created'),
      size: 110,
      enableSorting: true,
      cell: ({ getValue }) => <Moment seconds={getValue()} />,
      meta: { label: t('created'), card: 'figure' },
    }),
    helper.accessor('user_id', {
      header: t('user'),
      size: 140,
      enableSorting: true,
      cell: ({ row: { original } }) => <Name id={original.user_id}>{original.username}</Name>,
      meta: { label: t('user'), card: 'title' },
    }),
    helper.accessor('gateway_id', {
      header: t('gateway'),
      size: 160,
      enableSorting: true,
      cell: ({ row: { original } }) => (
        <PaymentProviderName id={original.gateway_id} type={original.gateway_type} name={original.gateway_name} />
      ),
      meta: { label: t('gateway') },
    }),
    helper.accessor('status', {
      header: t('statusLabel'),
      size: 180,
      enableSorting: true,
      cell: ({ row: { original } }) => (
        <Box component="span" sx={{ display: 'inline-flex', gap: 0.75, verticalAlign: 'middle' }}>
          <OrderStatusChip status={original.status} />
          {original.review !== '' && (
            <StatusChip tone="warning" hint={t(`review.${original.review}`)}>
              {t('reviewChip')}
            </StatusChip>
          )}
        </Box>
      ),
      meta: { label: t('statusLabel'), card: 'state' },
    }),
    ...moneyColumns(t, format),
    helper.accessor('trade_no', {
      header: t('tradeNo'),
      size: 200,
      cell: ({ getValue }) => <Mono>{getValue()}</Mono>,
      meta: { label: t('tradeNo') },
    }),
    helper.accessor('gateway_no', {
      header: t('gatewayNo'),
      size: 210,
      cell: ({ getValue }) => (getValue() === '' ? UNKNOWN : <Mono>{getValue()}</Mono>),
      meta: { label: t('gatewayNo'), hidden: true },
    }),
  ]);
}

function moneyColumns(t: Words, format: Format) {
  return [
    helper.accessor('amount', {
      header: t('amount'),
      size: 90,
      enableSorting: true,
      cell: ({ getValue }) => format.exactUsd(getValue()),
      meta: { label: t('amount'), align: 'end' },
    }),
    helper.accessor('order_amount', {
      header: t('toPay'),
      size: 110,
      cell: ({ row: { original } }) => format.money(original.order_amount, original.order_currency),
      meta: { label: t('toPay'), align: 'end', card: 'figure' },
    }),
    helper.accessor('refunded_amount', {
      header: t('refunded'),
      size: 100,
      cell: ({ row: { original } }) =>
        original.refunded_amount === 0 ? UNKNOWN : format.money(original.refunded_amount, original.order_currency),
      meta: { label: t('refunded'), align: 'end' },
    }),
    helper.accessor('fee', {
      header: t('fee'),
      size: 100,
      cell: ({ getValue }) => format.exactUsd(getValue()),
      meta: { label: t('fee'), align: 'end', hidden: true },
    }),
    helper.accessor('discount', {
      header: t('discount'),
      size: 100,
      cell: ({ getValue }) => format.exactUsd(getValue()),
      meta: { label: t('discount'), align: 'end', hidden: true },
    }),
    helper.accessor('quota', {
      header: t('quota'),
      size: 110,
      cell: ({ getValue }) => <Money points={getValue()} />,
      meta: { label: t('quota'), align: 'end', hidden: true },
    }),
  ];
}
