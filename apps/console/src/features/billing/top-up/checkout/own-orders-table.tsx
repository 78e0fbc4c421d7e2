import type { OwnOrder } from '@switchyard/contract/billing/orders';
import { orderStatuses } from '@switchyard/contract/codes';
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useEffect, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Moment } from '../../../../ui/display/inline-values.tsx';
import { Mono } from '../../../../ui/display/mono.tsx';
import { EmptyState } from '../../../../ui/feedback/panels.tsx';
import { FilterChip } from '../../../../ui/filters/filter-chip.tsx';
import { UNKNOWN } from '../../../../ui/format/format.ts';
import { useFormat } from '../../../../ui/format/use-format.ts';
import { OrderStatusChip } from '../../../../ui/product/order-status.tsx';
import { PaymentProviderName } from '../../../../ui/product/payment-provider-label.tsx';
import { DataTable } from '../../../../ui/table/data-table.tsx';
import { oneOf, useListState } from '../../../../ui/table/list-state.ts';
import { columnsFor } from '../../../../ui/table/table-features.ts';
import { ownOrderListQuery } from '../../orders/queries.ts';
import { useBalanceChanged } from '../queries.ts';

const NEWEST_FIRST = '-created_at';
const sortable = ['created_at', 'amount', 'status'] as const;
const orders = sortable.flatMap((column) => [column, `-${column}` as const]);

/**
 * Returns whether `?order=` is a sort order; otherwise it is the order to which a buyer returns after paying.
 */
export const isSorting = (text: string | undefined) => oneOf(text, orders) !== undefined;

export function OwnOrdersTable({ onOpen }: { onOpen: (tradeNo: string) => void }) {
  const { t } = useTranslation('orders');
  const format = useFormat();
  const list = useListState(['status'], NEWEST_FIRST);
  const status = oneOf(list.filters.status, orderStatuses);
  const order = oneOf(list.order, orders) ?? NEWEST_FIRST;
  const query = { page: list.page, size: list.size, order, status };
  const { data, isFetching, error, refetch } = useQuery(ownOrderListQuery(query));
  const balanceChanged = useBalanceChanged();
  const paid = data?.data.filter((row) => row.status === 'success').length;
  useEffect(() => {
    if (paid !== undefined) void balanceChanged();
  }, [paid, balanceChanged]);
  const columns = useMemo(() => ownOrderColumns(t, format), [t, format]);
  return (
    <DataTable
      name="own-orders"
      label={t('ownTitle')}
      columns={columns}
      list={{ ...list, order }}
      rows={data?.data}
      total={data?.total_count}
      rowId={(row) => row.trade_no}
      fetching={isFetching}
      error={error}
      onRetry={() => void refetch()}
      onOpen={(row) => onOpen(row.trade_no)}
      filterBar={
        <FilterChip
          label={t('statusLabel')}
          value={status}
          options={orderStatuses.map((value) => ({ value, label: t(`status.${value}`) }))}
          onChange={(value) => list.setFilter('status', value)}
        />
      }
      empty={<EmptyState>{t('noneYet')}</EmptyState>}
      emptyFiltered={<EmptyState>{t('nothingFound')}</EmptyState>}
    />
  );
}

const helper = columnsFor<OwnOrder>();

function ownOrderColumns(t: TFunction<'orders'>, format: ReturnType<typeof useFormat>) {
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
        <PaymentProviderName id={original.gateway_id} type={original.gateway_type} name={original.gateway_name} />
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
        original.refunded_amount === 0 ? UNKNOWN : format.money(original.refunded_amount, original.order_currency),
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
