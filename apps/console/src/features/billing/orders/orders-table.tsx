import { orderId } from '@switchyard/contract/ids';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { DataTable } from '../../../ui/table/data-table.tsx';
import type { ListState } from '../../../ui/table/list-state.ts';
import { orderColumns } from './order-columns.tsx';
import { OrderDrawer } from './order-drawer.tsx';
import { type FilterName, orderFilter } from './order-filter.ts';
import { OrderTotalsRow } from './order-totals-row.tsx';
import { orderListQuery, orderTotalsQuery } from './queries.ts';

interface OrdersTableProps {
  list: ListState<FilterName>;
  filterBar: ReactNode;
}

/** Orders, for staff. `?open=` shows one. */
export function OrdersTable({ list, filterBar }: OrdersTableProps) {
  const { t } = useTranslation('orders');
  const format = useFormat();
  const [opened, setOpened] = useSearchParam('open');
  const { page, size, order, filters } = list;
  const filter = () => orderFilter(filters);
  const listed = useQuery(
    orderListQuery({ page, size, order, filters }, () => ({ ...filter(), page, size, order })),
  );
  const totals = useQuery(orderTotalsQuery(filters, filter)).data;
  const columns = useMemo(() => orderColumns(t, format), [t, format]);
  return (
    <>
      <DataTable
        name="orders"
        label={t('title')}
        columns={columns}
        list={list}
        rows={listed.data?.data}
        total={listed.data?.total_count}
        totals={<OrderTotalsRow totals={totals} />}
        rowId={(row) => String(row.id)}
        fetching={listed.isFetching}
        error={listed.error}
        onRetry={() => void listed.refetch()}
        onOpen={(row) => setOpened(String(row.id))}
        filterBar={filterBar}
        empty={<EmptyState>{t('noneYet')}</EmptyState>}
        emptyFiltered={<EmptyState>{t('nothingFound')}</EmptyState>}
      />
      <OrderDrawer id={orderId.safeParse(opened).data} onClose={() => setOpened(undefined)} />
    </>
  );
}
