import Box from '@mui/material/Box';
import type { Task } from '@switchyard/contract/tasks/tasks';
import type { TFunction } from 'i18next';
import { paths, userPath } from '../../../paths.ts';
import { Moment, Money, Name } from '../../../ui/display/inline-values.tsx';
import { Mono } from '../../../ui/display/mono.tsx';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { CellLink } from '../../../ui/table/cell-link.tsx';
import { columnsFor } from '../../../ui/table/table-features.ts';
import type { Scope } from './queries.ts';
import { TaskDuration, TaskStatusChip } from './task-status.tsx';

const helper = columnsFor<Task>();
type Words = TFunction<'tasks'>;

export function taskColumns(t: Words, scope: Scope) {
  return helper.columns([
    ...whatColumns(t),
    ...figureColumns(t),
    helper.accessor('token_name', {
      header: t('token'),
      size: 100,
      cell: ({ row: { original } }) => <Name id={original.token_id}>{original.token_name}</Name>,
      meta: { label: t('token') },
    }),
    ...(scope === 'everybody' ? whoColumns(t) : []),
    helper.accessor('id', {
      header: t('id'),
      size: 200,
      cell: ({ getValue }) => <Mono>{getValue()}</Mono>,
      meta: { label: t('id'), hidden: true },
    }),
  ]);
}

function whatColumns(t: Words) {
  return [
    helper.accessor('created_at', {
      header: t('submitted'),
      size: 110,
      enableSorting: true,
      cell: ({ getValue }) => <Moment seconds={getValue()} />,
      meta: { label: t('submitted'), card: 'figure' },
    }),
    helper.accessor('status', {
      header: t('state'),
      size: 104,
      enableSorting: true,
      cell: ({ row }) => <TaskStatusChip task={row.original} />,
      meta: { label: t('state'), card: 'state' },
    }),
    helper.accessor('platform', {
      header: t('platform'),
      size: 104,
      cell: ({ getValue }) => t(`platformName.${getValue()}`),
      meta: { label: t('platform') },
    }),
    helper.accessor('action', {
      header: t('action'),
      size: 110,
      enableSorting: true,
      cell: ({ getValue }) => actionName(t, getValue()),
      meta: { label: t('action') },
    }),
    helper.accessor('prompt', {
      header: t('prompt'),
      size: 260,
      cell: ({ row: { original } }) => <Prompt text={original.prompt} action={actionName(t, original.action)} />,
      meta: { label: t('prompt'), card: 'title' },
    }),
    helper.accessor('model_name', {
      header: t('model'),
      size: 150,
      cell: ({ getValue }) => <Mono>{getValue()}</Mono>,
      meta: { label: t('model') },
    }),
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

function whoColumns(t: Words) {
  return [
    helper.accessor('username', {
      id: 'user_id',
      header: t('user'),
      size: 92,
      enableSorting: true,
      cell: ({ row: { original } }) => (
        <CellLink to={userPath(original.user_id)}>
          <Name id={original.user_id}>{original.username}</Name>
        </CellLink>
      ),
      meta: { label: t('user') },
    }),
    helper.accessor((task) => task.channel?.name ?? '', {
      id: 'channel_id',
      header: t('channel'),
      size: 108,
      enableSorting: true,
      cell: ({ row: { original } }) =>
        original.channel === null ? (
          UNKNOWN
        ) : (
          <CellLink to={paths.channels} search={{ open: String(original.channel.id) }}>
            <Name id={original.channel.id}>{original.channel.name}</Name>
          </CellLink>
        ),
      meta: { label: t('channel') },
    }),
  ];
}

function figureColumns(t: Words) {
  return [
    helper.accessor('ended_at', {
      header: t('duration'),
      size: 96,
      enableSorting: true,
      cell: ({ row }) => <TaskDuration task={row.original} />,
      meta: { label: t('duration'), align: 'end' },
    }),
    helper.accessor('quota', {
      header: t('cost'),
      size: 88,
      cell: ({ row: { original } }) => <Cost task={original} held={t('held')} />,
      meta: { label: t('cost'), align: 'end', card: 'figure' },
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
