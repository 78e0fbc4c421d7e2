import { orderStatuses } from '@switchyard/contract/wire-enums';
import { useTranslation } from 'react-i18next';
import { ExportLink } from '../../../ui/actions/file-buttons.tsx';
import { FilterBar } from '../../../ui/filters/filter-bar.tsx';
import { FilterChips } from '../../../ui/filters/filter-chip.tsx';
import { TextFilters } from '../../../ui/filters/text-filters.tsx';
import { TimeChip } from '../../../ui/filters/time-filter-chip.tsx';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { type ListState, useListState } from '../../../ui/table/url-list-state.ts';
import { usePaymentProviderOptions } from '../payment-providers/queries.ts';
import { type FilterName, filterNames, isTradeNumberLike, orderFilter } from './order-filter.ts';
import { OrdersTable } from './orders-table-and-drawer.tsx';
import { orderExportUrl } from './queries.ts';

const NEWEST_FIRST = '-created_at';

/** Lists the orders of all users. */
export function OrdersPage() {
  const { t } = useTranslation('orders');
  const list = useListState(filterNames, NEWEST_FIRST);
  return (
    <>
      <PageHeader title={t('title')} actions={<ExportLink href={orderExportUrl(orderFilter(list.filters))} />} />
      <OrdersTable list={list} filterBar={<OrderFilters list={list} />} />
    </>
  );
}

const texts = ['user_id', 'trade_no', 'gateway_no'] as const;

function OrderFilters({ list }: { list: ListState<FilterName> }) {
  const { t } = useTranslation('orders');
  const gateways = usePaymentProviderOptions();
  const { filters } = list;
  return (
    <FilterBar list={searching(list)} placeholder={t('search')}>
      <TimeChip value={filters} />
      <FilterChips
        list={list}
        chips={[
          { name: 'status', label: t('statusLabel'), options: toOptions(orderStatuses, (name) => t(`status.${name}`)) },
          ...(gateways.length > 0 ? [{ name: 'gateway_id' as const, label: t('gateway'), options: gateways }] : []),
          { name: 'review', label: t('reviewLabel'), options: [{ value: 'true', label: t('reviewNeeded') }] },
        ]}
      />
      <TextFilters list={list} names={texts} labelOf={(name) => t(`filter.${name}`)} />
    </FilterBar>
  );
}

/** Makes the search box filter by user name, or by order number when the text looks like one. */
function searching(list: ListState<FilterName>): ListState<FilterName> {
  return {
    ...list,
    keyword: list.filters.username ?? '',
    setKeyword: (text) => {
      if (isTradeNumberLike(text)) list.setFilter('trade_no', text);
      else list.setFilter('username', text === '' ? undefined : text);
    },
  };
}
