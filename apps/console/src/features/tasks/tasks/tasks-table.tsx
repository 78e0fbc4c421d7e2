import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { DataTable } from '../../../ui/table/data-table.tsx';
import type { ListState } from '../../../ui/table/list-state.ts';
import { type Scope, taskListQuery } from './queries.ts';
import { taskColumns } from './task-columns.tsx';
import { type FilterName, taskFilter } from './task-filter.ts';
import { TaskFilters } from './task-filters.tsx';

interface TasksTableProps {
  scope: Scope;
  list: ListState<FilterName>;
  onOpen: (id: string) => void;
}

export function TasksTable({ scope, list, onOpen }: TasksTableProps) {
  const { t } = useTranslation('tasks');
  const { page, size, order, filters } = list;
  const tasks = useQuery(
    taskListQuery(scope, { page, size, order, filters }, () => ({
      ...taskFilter(scope, filters),
      page,
      size,
      order,
    })),
  );
  const columns = useMemo(() => taskColumns(t, scope), [t, scope]);
  return (
    <DataTable
      name={`tasks-${scope}`}
      label={t('title')}
      columns={columns}
      list={list}
      rows={tasks.data?.data}
      total={tasks.data?.total_count}
      rowId={(task) => task.id}
      fetching={tasks.isPlaceholderData}
      error={tasks.error}
      onRetry={() => void tasks.refetch()}
      onOpen={(task) => onOpen(task.id)}
      filterBar={<TaskFilters list={list} scope={scope} />}
      empty={<EmptyState>{t('empty')}</EmptyState>}
      emptyFiltered={<EmptyState>{t('nothingFound')}</EmptyState>}
    />
  );
}
