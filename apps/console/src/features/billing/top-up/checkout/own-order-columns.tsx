import type { OwnOrder } from '@switchyard/contract/billing/orders';
import type { TFunction } from 'i18next';
import { Moment } from '../../../../ui/display/moment.tsx';
import { Mono } from '../../../../ui/display/mono.tsx';
import { UNKNOWN } from '../../../../ui/format/format.ts';
import type { useFormat } from '../../../../ui/format/use-format.ts';
import { GatewayName } from '../../../../ui/product/gateway-name.tsx';
import { OrderStatusChip } from '../../../../ui/product/order-status.tsx';
import { columnsFor } from '../../../../ui/table/table-features.ts';

const helper = columnsFor<OwnOrder>();

export function ownOrderColumns(t: TFunction<'orders'>, format: ReturnType<typeof useFormat>) {
  return helper.columns([
    helper.accessor('created_at', {
      header: t('created'),
      size: 150,
      enableSorting: true,
      cell: ({ getValue }) => <Moment seconds={getValue()} />,
      meta: { label: t('created'), card: 'figure' },
    }),
    helper.accessor('amount', {
      header: t('amount'),
      size: 110,
      enableSorting: true,
      cell: ({ getValue }) => format.exactUsd(getValue()),
      meta: { label: t('amount'), align: 'end', card: 'title' },
    }),
    helper.accessor('order_amount', {
      header: t('toPay'),
      size: 130,
      cell: ({ row: { original } }) => format.money(original.order_amount, original.order_currency),
      meta: { label: t('toPay'), align: 'end', card: 'figure' },
    }),
    helper.accessor('gateway_name', {
      header: t('gateway'),
      size: 180,
      cell: ({ row: { original } }) => (
        <GatewayName id={original.gateway_id} type={original.gateway_type} name={original.gateway_name} />
      ),
      meta: { label: t('gateway') },
    }),
    helper.accessor('status', {
      header: t('statusLabel'),
      size: 120,
      enableSorting: true,
      cell: ({ getValue }) => <OrderStatusChip status={getValue()} />,
      meta: { label: t('statusLabel'), card: 'state' },
    }),
    helper.accessor('refunded_amount', {
      header: t('refunded'),
      size: 120,
      cell: ({ row: { original } }) =>
        original.refunded_amount === 0
          ? UNKNOWN
          : format.money(original.refunded_amount, original.order_currency),
      meta: { label: t('refunded'), align: 'end' },
    }),
    helper.accessor('trade_no', {
      header: t('tradeNo'),
      size: 210,
      cell: ({ getValue }) => <Mono>{getValue()}</Mono>,
      meta: { label: t('tradeNo'), hidden: true },
    }),
  ]);
}
