import type { User } from '@switchyard/contract/users';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { DataTable } from '../../ui/data-table/data-table.tsx';
import { oneOf, useListState } from '../../ui/data-table/list-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { FilterChip } from '../../ui/filter-chip.tsx';
import { useFormat } from '../../ui/use-format.ts';
import { useGroupOptions } from '../user-groups/queries.ts';
import { listUsers, userListQuery } from './queries.ts';
import { userColumns } from './user-columns.tsx';
import { UserMenu } from './user-menu.tsx';
import { roles, userStatuses } from './user-rules.ts';

interface UsersTableProps {
  onOpen: (user: User) => void;
  onEdit: (user: User) => void;
  /** The button of the empty list. */
  empty: ReactNode;
}

export function UsersTable({ onOpen, onEdit, empty }: UsersTableProps) {
  const { t } = useTranslation(['users', 'shell']);
  const format = useFormat();
  const groups = useGroupOptions();
  const list = useListState(['role', 'status', 'group'], '-id');
  const query = {
    page: list.page,
    size: list.size,
    order: list.order,
    keyword: list.keyword,
    role: oneOf(list.filters.role, roles),
    status: oneOf(list.filters.status, userStatuses),
    group: list.filters.group,
  };
  const { data, isFetching, error, refetch } = useQuery(userListQuery(query));
  const columns = useMemo(() => userColumns(t, format.number, groups), [t, format, groups]);
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
      renderActions={(user) => <UserMenu user={user} onEdit={onEdit} />}
      fetchPage={(page, size) => listUsers({ ...query, page, size })}
      filterBar={
        <FilterBar list={list} placeholder={t('search')}>
          <FilterChip
            label={t('role')}
            value={list.filters.role}
            options={roles.map((role) => ({ value: role, label: t(`shell:role.${role}`) }))}
            onChange={(role) => list.setFilter('role', role)}
          />
          <FilterChip
            label={t('status')}
            value={list.filters.status}
            options={userStatuses.map((status) => ({ value: status, label: t(`statusName.${status}`) }))}
            onChange={(status) => list.setFilter('status', status)}
          />
          <FilterChip
            label={t('group')}
            value={list.filters.group}
            options={groups}
            onChange={(group) => list.setFilter('group', group)}
          />
        </FilterBar>
      }
      empty={<EmptyState action={empty}>{t('empty')}</EmptyState>}
      emptyFiltered={<EmptyState>{t('nothingFound')}</EmptyState>}
    />
  );
}
