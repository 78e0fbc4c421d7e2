import Box from '@mui/material/Box';
import type { Task } from '@switchyard/contract/tasks/tasks';
import type { TFunction } from 'i18next';
import { Money, Name } from '../../../ui/display/formatted-values.tsx';
import { momentCell, monoCell, whoColumns } from '../../../ui/table/cells.tsx';
import { columnsFor } from '../../../ui/table/table-columns-and-props.ts';
import type { Scope } from './queries.ts';
import { TaskDuration, TaskStatusChip } from './task-status-and-progress.tsx';

const column = columnsFor<Task>();
type Words = TFunction<'tasks'>;

export function taskColumns(t: Words, scope: Scope) {
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
