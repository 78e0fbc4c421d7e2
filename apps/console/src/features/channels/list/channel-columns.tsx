import Box from '@mui/material/Box';
import Tooltip from '@mui/material/Tooltip';
import type { Channel } from '@switchyard/contract/channels/channels';
import type { TFunction } from 'i18next';
import { isolateBidi } from '../../../i18n/bidi.ts';
import { Moment, Name } from '../../../ui/display/inline-values.tsx';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { columnsFor } from '../../../ui/table/table-features.ts';
import { type GroupOption, groupName } from '../../accounts/user-groups/queries.ts';
import { RoutingCell } from '../health/routing-cell.tsx';
import { ChannelStatusChip, ProviderLabel, ResponseTime, SpentAndLeft } from './channel-labels.tsx';
import { PriorityHandle } from './priority-drag.tsx';

const helper = columnsFor<Channel>();
type Words = TFunction<'channels'>;

const MODELS_ON_HOVER = 12;

export function channelColumns(t: Words, groups: readonly GroupOption[]) {
  return helper.columns([
    helper.accessor('name', {
      header: t('name'),
      size: 150,
      enableSorting: true,
      cell: ({ row: { original } }) => <Name id={original.id}>{original.name}</Name>,
      meta: { label: t('name'), card: 'title' },
    }),
    helper.accessor('id', {
      header: t('id'),
      size: 72,
      enableSorting: true,
      meta: { label: t('id'), hidden: true },
    }),
    ...stateColumns(t, groups),
    ...figureColumns(t),
    ...routingColumns(t),
    helper.accessor('tag', {
      header: t('tag'),
      size: 90,
      cell: ({ getValue }) => (getValue() === '' ? UNKNOWN : getValue()),
      meta: { label: t('tag') },
    }),
    helper.accessor('test_time', {
      header: t('tested'),
      size: 120,
      cell: ({ getValue }) => (getValue() === 0 ? t('neverTested') : <Moment seconds={getValue()} />),
      meta: { label: t('tested'), hidden: true },
    }),
    helper.accessor('created_time', {
      header: t('created'),
      size: 120,
      enableSorting: true,
      cell: ({ getValue }) => <Moment seconds={getValue()} />,
      meta: { label: t('created'), hidden: true },
    }),
  ]);
}

function stateColumns(t: Words, groups: readonly GroupOption[]) {
  return [
    helper.accessor('provider', {
      id: 'type',
      header: t('type'),
      size: 144,
      enableSorting: true,
      cell: ({ getValue }) => <ProviderLabel id={getValue()} />,
      meta: { label: t('type'), card: 'figure' },
    }),
    helper.accessor('status', {
      header: t('status'),
      size: 112,
      enableSorting: true,
      cell: ({ row }) => <ChannelStatusChip channel={row.original} />,
      meta: { label: t('status'), card: 'state' },
    }),
    helper.accessor((channel) => channel.group.map((symbol) => isolateBidi(groupName(groups, symbol))).join(', '), {
      id: 'group',
      header: t('groups'),
      size: 106,
      meta: { label: t('groups') },
    }),
    helper.accessor((channel) => channel.models.length, {
      id: 'models',
      header: t('models'),
      size: 70,
      cell: ({ row, getValue }) => (
        <Tooltip title={<ModelNames models={row.original.models} />}>
          <span>{getValue()}</span>
        </Tooltip>
      ),
      meta: { label: t('models'), align: 'end' },
    }),
  ];
}

function ModelNames({ models }: { models: readonly string[] }) {
  const rest = models.length - MODELS_ON_HOVER;
  return (
    <>
      {models.slice(0, MODELS_ON_HOVER).map((model) => (
        <div key={model}>
          <Name>{model}</Name>
        </div>
      ))}
      {rest > 0 && <div>+{rest}</div>}
    </>
  );
}

function figureColumns(t: Words) {
  return [
    helper.accessor('response_time', {
      header: t('response'),
      size: 90,
      enableSorting: true,
      cell: ({ row }) => <ResponseTime channel={row.original} />,
      meta: { label: t('response'), align: 'end' },
    }),
    helper.accessor('used_quota', {
      header: t('spentLeft'),
      size: 118,
      enableSorting: true,
      cell: ({ row }) => <SpentAndLeft channel={row.original} />,
      meta: { label: t('spentLeft'), align: 'end', card: 'figure' },
    }),
  ];
}

function routingColumns(t: Words) {
  return [
    helper.accessor('priority', {
      header: t('priority'),
      size: 96,
      enableSorting: true,
      cell: ({ row }) => (
        <Box sx={{ display: 'flex', alignItems: 'center', justifyContent: 'flex-end' }}>
          <PriorityHandle channel={row.original} />
          <RoutingCell channel={row.original} field="priority" />
        </Box>
      ),
      meta: { label: t('priority'), align: 'end' },
    }),
    helper.accessor('weight', {
      header: t('weight'),
      size: 74,
      enableSorting: true,
      cell: ({ row }) => <RoutingCell channel={row.original} field="weight" />,
      meta: { label: t('weight'), align: 'end' },
    }),
  ];
}
