import { useTranslation } from 'react-i18next';
import { ExportLink } from '../../../ui/actions/export-link.tsx';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { useListState } from '../../../ui/table/list-state.ts';
import { filterNames, orderFilter } from './order-filter.ts';
import { OrderFilters } from './order-filters.tsx';
import { OrdersTable } from './orders-table.tsx';
import { orderExportUrl } from './queries.ts';

const NEWEST_FIRST = '-created_at';

/** Everybody's orders. */
export function OrdersPage() {
  const { t } = useTranslation('orders');
  const list = useListState(filterNames, NEWEST_FIRST);
  return (
    <>
      <PageHeader
        title={t('title')}
        actions={<ExportLink href={orderExportUrl(orderFilter(list.filters))} />}
      />
      <OrdersTable list={list} filterBar={<OrderFilters list={list} />} />
    </>
  );
}
