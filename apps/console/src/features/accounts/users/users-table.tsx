import type { User } from '@switchyard/contract/accounts/users';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { DataTable } from '../../../ui/table/data-table.tsx';
import type { ListState } from '../../../ui/table/list-state.ts';
import { useMay } from '../session/queries.ts';
import { useGroupOptions } from '../user-groups/queries.ts';
import { userListQuery } from './queries.ts';
import { UserBulkActions } from './user-bulk-actions.tsx';
import { userColumns } from './user-columns.tsx';
import { type FilterName, userFilter } from './user-filter.ts';
import { UserFilters } from './user-filters.tsx';
import { UserMenu } from './user-menu.tsx';

interface UsersTableProps {
  list: ListState<FilterName>;
  onOpen: (user: User) => void;
  onEdit: (user: User) => void;
  /** The button of the empty list. */
  empty: ReactNode;
}

const renderBulkActions = (users: User[], done: () => void) => (
  <UserBulkActions users={users} onDone={done} />
);

export function UsersTable({ list, onOpen, onEdit, empty }: UsersTableProps) {
  const { t } = useTranslation('users');
  const format = useFormat();
  const groups = useGroupOptions();
  const mayWrite = useMay('users.write');
  const mayBalance = useMay('balances.write');
  const { page, size, order, keyword, filters } = list;
  const filter = () => userFilter(filters, keyword);
  const { data, isFetching, error, refetch } = useQuery(
    userListQuery({ page, size, order, keyword, filters }, () => ({ ...filter(), page, size, order })),
  );
  const columns = useMemo(() => userColumns(t, format.number, groups), [t, format, groups]);
  const renderMenu = useCallback((user: User) => <UserMenu user={user} onEdit={onEdit} />, [onEdit]);
  return (
    <DataTable
      name="users"
      label={t('title')}
      columns={columns}
      list={list}
      rows={data?.data}
      total={data?.total_count}
      rowId={(user) => String(user.id)}
      fetching={isFetching}
      error={error}
      onRetry={() => void refetch()}
      onOpen={onOpen}
      renderActions={renderMenu}
      {...(mayWrite || mayBalance ? { renderBulkActions } : {})}
      filterBar={<UserFilters list={list} />}
      empty={<EmptyState action={empty}>{t('empty')}</EmptyState>}
      emptyFiltered={<EmptyState>{t('nothingFound')}</EmptyState>}
    />
  );
}
