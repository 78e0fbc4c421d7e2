import { orderStatuses } from '@switchyard/contract/codes';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../../../ui/feedback/empty-state.tsx';
import { FilterChip } from '../../../../ui/filters/filter-chip.tsx';
import { useFormat } from '../../../../ui/format/use-format.ts';
import { DataTable } from '../../../../ui/table/data-table.tsx';
import { oneOf, useListState } from '../../../../ui/table/list-state.ts';
import { ownOrderListQuery } from '../../orders/queries.ts';
import { useBalanceChanged } from '../queries.ts';
import { ownOrderColumns } from './own-order-columns.tsx';

const NEWEST_FIRST = '-created_at';
const sortable = ['created_at', 'amount', 'status'] as const;
const orders = sortable.flatMap((column) => [column, `-${column}` as const]);

/**
 * Returns whether the address's `order` is a column to sort by; otherwise it is the number of an order that a buyer
 * returns to after paying.
 */
export const isSorting = (text: string | undefined) => oneOf(text, orders) !== undefined;

/** Lists the user's orders. */
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
