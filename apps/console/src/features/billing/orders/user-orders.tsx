import type { UserId } from '@switchyard/contract/ids';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { LinkButton } from '../../../ui/display/link.tsx';
import { useListState } from '../../../ui/table/url-list-state.ts';
import { type FilterName, filterNames } from './order-filter.ts';
import { OrdersTable } from './orders-table-and-drawer.tsx';

/** Lists one user's orders for staff. */
export function UserOrders({ id }: { id: UserId }) {
  const { t } = useTranslation('orders');
  const list = useListState([], '-created_at');
  const search = { user_id: String(id) };
  return (
    <OrdersTable
      list={{ ...list, filters: { ...noFilters, ...search }, setFilter: () => {} }}
      filterBar={
        <LinkButton size="small" color="inherit" to={paths.orders} search={search}>
          {t('inTheList')}
        </LinkButton>
      }
    />
  );
}

const noFilters = Object.fromEntries(filterNames.map((name) => [name, undefined])) as Record<FilterName, undefined>;
