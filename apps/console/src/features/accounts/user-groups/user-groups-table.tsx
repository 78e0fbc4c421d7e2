import type { UsedGroup } from '@switchyard/contract/accounts/user-groups';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { FilterBar } from '../../../ui/filters/filter-bar.tsx';
import { FilterChip } from '../../../ui/filters/filter-chip.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { oneOf, useListState } from '../../../ui/table/list-state.ts';
import { listUserGroups, userGroupListQuery } from './queries.ts';
import { userGroupColumns } from './user-group-columns.tsx';
import { UserGroupMenu } from './user-group-menu.tsx';

interface UserGroupsTableProps {
  mayWrite: boolean;
  onEdit: (group: UsedGroup) => void;
  onDuplicate: (group: UsedGroup) => void;
  /** The button of the empty list. */
  empty: ReactNode;
}

const RATIO_DIGITS = 6;
const statuses = ['enabled', 'disabled'] as const;

export function UserGroupsTable({ mayWrite, onEdit, onDuplicate, empty }: UserGroupsTableProps) {
  const { t } = useTranslation('user-groups');
  const format = useFormat();
  const list = useListState(['status'], 'id');
  const status = oneOf(list.filters.status, statuses);
  const query = {
    page: list.page,
    size: list.size,
    order: list.order,
    name: list.keyword,
    enable: status === undefined ? undefined : status === 'enabled',
  };
  const { data, isFetching, error, refetch } = useQuery(userGroupListQuery(query));
  const columns = useMemo(
    () => userGroupColumns(t, (value) => format.number(value, RATIO_DIGITS), format.usd),
    [t, format],
  );
  return (
    <DataTable
      name="user-groups"
      label={t('title')}
      columns={columns}
      list={list}
      rows={data?.data}
      total={data?.total_count}
      rowId={(group) => String(group.id)}
      fetching={isFetching}
      error={error}
      onRetry={() => void refetch()}
      {...(mayWrite && {
        onOpen: onEdit,
        renderActions: (group: UsedGroup) => (
          <UserGroupMenu group={group} onEdit={onEdit} onDuplicate={onDuplicate} />
        ),
      })}
      fetchPage={(page, size) => listUserGroups({ ...query, page, size })}
      filterBar={
        <FilterBar list={list} placeholder={t('search')}>
          <FilterChip
            label={t('status')}
            value={status}
            options={statuses.map((value) => ({ value, label: t(value) }))}
            onChange={(value) => list.setFilter('status', value)}
          />
        </FilterBar>
      }
      empty={<EmptyState action={empty}>{t('empty')}</EmptyState>}
      emptyFiltered={<EmptyState>{t('nothingFound')}</EmptyState>}
    />
  );
}
