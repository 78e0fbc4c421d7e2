import Box from '@mui/material/Box';
import type { Task } from '@switchyard/contract/tasks/tasks';
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Money, Name } from '../../../ui/display/formatted-values.tsx';
import { EmptyState } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { momentCell, monoCell, whoColumns } from '../../../ui/table/cells-and-user-columns.tsx';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { columnsFor } from '../../../ui/table/table-columns-and-props.ts';
import { type ListState, useListState } from '../../../ui/table/url-list-state.ts';
import { useHasAccess } from '../../accounts/session/queries.ts';
import { type Scope, taskListQuery } from './queries.ts';
import { TaskDrawer } from './task-drawer.tsx';
import { type FilterName, filterNames, TaskFilters, taskFilter } from './task-filters.tsx';
import { TaskDuration, TaskStatusChip } from './task-status-and-progress.tsx';

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

const column = columnsFor<Task>();
type Words = TFunction<'tasks'>;

function taskColumns(t: Words, scope: Scope) {
  return [
    ...whatColumns(t),
    ...figureColumns(t),
    column.field('token_name', t('token'), {
      size: 100,
      cell: (_, task) => <Name id={task.token_id}>{task.token_name}</Name>,
    }),
    ...(scope === 'everybody' ? whoColumns<Task>(t('user'), t('channel')) : []),
    column.field('id', t('id'), { size: 200, hidden: true, cell: monoCell }),
  ];
}

function whatColumns(t: Words) {
  return [
    column.field('created_at', t('submitted'), { size: 110, sortable: true, card: 'figure', cell: momentCell }),
    column.field('status', t('state'), {
      size: 104,
      sortable: true,
      card: 'state',
      cell: (_, task) => <TaskStatusChip task={task} />,
    }),
    column.field('platform', t('platform'), { size: 104, cell: (platform) => t(`platformName.${platform}`) }),
    column.field('action', t('action'), { size: 110, sortable: true, cell: (action) => actionName(t, action) }),
    column.field('prompt', t('prompt'), {
      size: 260,
      card: 'title',
      cell: (_, task) => <Prompt text={task.prompt} action={actionName(t, task.action)} />,
    }),
    column.field('model_name', t('model'), { size: 150, cell: monoCell }),
  ];
}

const actionName = (t: Words, action: string) => t(`actionName.${action}`, { defaultValue: action });

/** Shows the prompt, or the action of a task without one, because a phone shows it as the task's title. */
function Prompt({ text, action }: { text: string; action: string }) {
  if (text === '')
    return (
      <Box component="span" sx={{ color: 'text.secondary' }}>
        {action}
      </Box>
    );
  return (
    <Box
      component="span"
      title={text}
      sx={{ display: 'block', overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }}
    >
      {text}
    </Box>
  );
}

function figureColumns(t: Words) {
  return [
    column.field('ended_at', t('duration'), {
      size: 96,
      sortable: true,
      align: 'end',
      cell: (_, task) => <TaskDuration task={task} />,
    }),
    column.field('quota', t('cost'), {
      size: 88,
      align: 'end',
      card: 'figure',
      cell: (_, task) => <Cost task={task} held={t('held')} />,
    }),
  ];
}

/** Shows the task's cost, or the amount held for it. */
function Cost({ task, held }: { task: Task; held: string }) {
  if (task.quota !== null) return <Money points={task.quota} />;
  return (
    <Box component="span" title={held} sx={{ color: 'text.secondary' }}>
      <Money points={task.expected} />
    </Box>
  );
}
