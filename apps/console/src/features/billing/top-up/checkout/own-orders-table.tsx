import type { OwnOrder } from '@switchyard/contract/billing/orders';
import { orderStatuses } from '@switchyard/contract/wire-enums';
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useEffect, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../../../ui/feedback/empty-and-pending-panels.tsx';
import { FilterChips } from '../../../../ui/filters/filter-chip.tsx';
import { UNKNOWN } from '../../../../ui/format/format.ts';
import { useFormat } from '../../../../ui/format/use-format.ts';
import { toOptions } from '../../../../ui/inputs/select-options.ts';
import { OrderStatusChip } from '../../../../ui/product/order-status-and-timeline.tsx';
import { PaymentProviderName } from '../../../../ui/product/payment-provider-label.tsx';
import { momentCell, monoCell } from '../../../../ui/table/cells-and-user-columns.tsx';
import { DataTable } from '../../../../ui/table/data-table.tsx';
import { columnsFor } from '../../../../ui/table/table-columns-and-props.ts';
import { oneOf, useListState } from '../../../../ui/table/url-list-state.ts';
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
  const listed = useQuery(ownOrderListQuery(query));
  const { data } = listed;
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
      query={listed}
      rowId={(row) => row.trade_no}
      onOpen={(row) => onOpen(row.trade_no)}
      filterBar={
        <FilterChips
          list={list}
          chips={[
            {
              name: 'status',
              label: t('statusLabel'),
              options: toOptions(orderStatuses, (value) => t(`status.${value}`)),
            },
          ]}
        />
      }
      empty={<EmptyState>{t('noneYet')}</EmptyState>}
      emptyFiltered={<EmptyState>{t('nothingFound')}</EmptyState>}
    />
  );
}

const column = columnsFor<OwnOrder>();

function ownOrderColumns(t: TFunction<'orders'>, format: ReturnType<typeof useFormat>) {
  return [
    column.field('created_at', t('created'), { size: 150, sortable: true, card: 'figure', cell: momentCell }),
    column.field('amount', t('amount'), {
      size: 110,
      sortable: true,
      align: 'end',
      card: 'title',
      cell: format.exactUsd,
    }),
    column.field('order_amount', t('toPay'), {
      size: 130,
      align: 'end',
      card: 'figure',
      cell: (_, order) => format.money(order.order_amount, order.order_currency),
    }),
    column.field('gateway_name', t('gateway'), {
      size: 180,
      cell: (_, order) => (
        <PaymentProviderName id={order.gateway_id} type={order.gateway_type} name={order.gateway_name} />
      ),
    }),
    column.field('status', t('statusLabel'), {
      size: 120,
      sortable: true,
      card: 'state',
      cell: (status) => <OrderStatusChip status={status} />,
    }),
    column.field('refunded_amount', t('refunded'), {
      size: 120,
      align: 'end',
      cell: (_, order) =>
        order.refunded_amount === 0 ? UNKNOWN : format.money(order.refunded_amount, order.order_currency),
    }),
    column.field('trade_no', t('tradeNo'), { size: 210, hidden: true, cell: monoCell }),
  ];
}
