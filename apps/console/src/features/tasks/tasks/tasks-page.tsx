import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { type ListState, useListState } from '../../../ui/table/url-list-state.ts';
import { useHasAccess } from '../../accounts/session/queries.ts';
import { type Scope, taskListQuery } from './queries.ts';
import { taskColumns } from './task-columns.tsx';
import { TaskDrawer } from './task-drawer.tsx';
import { type FilterName, filterNames, TaskFilters, taskFilter } from './task-filters.tsx';

const NEWEST_FIRST = '-created_at';

/** Lists background tasks: all users' for staff, otherwise the user's own. `?open=` shows one. */
export function TasksPage() {
  const { t } = useTranslation('tasks');
  const scope = useHasAccess('records.read') ? 'everybody' : 'own';
  const list = useListState(filterNames, NEWEST_FIRST);
  const [opened, setOpened] = useSearchParam('open');
  return (
    <>
      <PageHeader title={t('title')} />
      <TasksTable scope={scope} list={list} onOpen={setOpened} />
      <TaskDrawer scope={scope} id={opened} onClose={() => setOpened(undefined)} />
    </>
  );
}

interface TasksTableProps {
  scope: Scope;
  list: ListState<FilterName>;
  onOpen: (id: string) => void;
}

function TasksTable({ scope, list, onOpen }: TasksTableProps) {
  const { t } = useTranslation('tasks');
  const { page, size, order, filters } = list;
  const tasks = useQuery(
    taskListQuery(scope, { page, size, order, filters }, () => ({ ...taskFilter(scope, filters), page, size, order })),
  );
  const columns = useMemo(() => taskColumns(t, scope), [t, scope]);
  return (
    <DataTable
      name={`tasks-${scope}`}
      label={t('title')}
      columns={columns}
      list={list}
      query={tasks}
      rowId={(task) => task.id}
      fetching={tasks.isPlaceholderData}
      onOpen={(task) => onOpen(task.id)}
      filterBar={<TaskFilters list={list} scope={scope} />}
      empty={<EmptyState>{t('empty')}</EmptyState>}
      emptyFiltered={<EmptyState>{t('nothingFound')}</EmptyState>}
    />
  );
}
