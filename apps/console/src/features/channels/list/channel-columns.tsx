import Box from '@mui/material/Box';
import Tooltip from '@mui/material/Tooltip';
import type { Channel } from '@switchyard/contract/channels/channels';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { isolateBidi } from '../../../i18n/bidi.ts';
import { InlineNumber } from '../../../ui/actions/inline-number-input.tsx';
import { Moment, Name } from '../../../ui/display/formatted-values.tsx';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { momentCell } from '../../../ui/table/cells-and-user-columns.tsx';
import { columnsFor } from '../../../ui/table/table-columns-and-props.ts';
import { useHasAccess } from '../../accounts/session/queries.ts';
import { type GroupOption, groupName } from '../../accounts/user-groups/queries.ts';
import { ChannelStatusChip, ProviderLabel, ResponseTime, SpentAndLeft } from './channel-chips-and-figures.tsx';
import { PriorityHandle } from './priority-drag.tsx';
import { useChannelActions } from './use-channel-actions.ts';

const column = columnsFor<Channel>();
type Words = TFunction<'channels'>;

const MODELS_ON_HOVER = 12;

export function channelColumns(t: Words, groups: readonly GroupOption[]) {
  return [
    column.field('name', t('name'), {
      size: 150,
      sortable: true,
      card: 'title',
      cell: (_, channel) => <Name id={channel.id}>{channel.name}</Name>,
    }),
    column.field('id', t('id'), { size: 72, sortable: true, hidden: true }),
    ...stateColumns(t, groups),
    ...figureColumns(t),
    ...routingColumns(t),
    column.field('tag', t('tag'), { size: 90, cell: (tag) => (tag === '' ? UNKNOWN : tag) }),
    column.field('test_time', t('tested'), {
      size: 120,
      hidden: true,
      cell: (testTime) => (testTime === 0 ? t('neverTested') : <Moment seconds={testTime} />),
    }),
    column.field('created_time', t('created'), { size: 120, sortable: true, hidden: true, cell: momentCell }),
  ];
}

function stateColumns(t: Words, groups: readonly GroupOption[]) {
  return [
    column.computed('type', t('type'), ({ provider }) => provider, {
      size: 144,
      sortable: true,
      card: 'figure',
      cell: (provider) => <ProviderLabel id={provider} />,
    }),
    column.field('status', t('status'), {
      size: 112,
      sortable: true,
      card: 'state',
      cell: (_, channel) => <ChannelStatusChip channel={channel} />,
    }),
    column.computed(
      'group',
      t('groups'),
      (channel) => channel.group.map((symbol) => isolateBidi(groupName(groups, symbol))).join(', '),
      { size: 106 },
    ),
    column.computed('models', t('models'), (channel) => channel.models.length, {
      size: 70,
      align: 'end',
      cell: (value, channel) => (
        <Tooltip title={<ModelNames models={channel.models} />}>
          <span>{value}</span>
        </Tooltip>
      ),
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
    column.field('response_time', t('response'), {
      size: 90,
      sortable: true,
      align: 'end',
      cell: (_, channel) => <ResponseTime channel={channel} />,
    }),
    column.field('used_quota', t('spentLeft'), {
      size: 118,
      sortable: true,
      align: 'end',
      card: 'figure',
      cell: (_, channel) => <SpentAndLeft channel={channel} />,
    }),
  ];
}

function routingColumns(t: Words) {
  return [
    column.field('priority', t('priority'), {
      size: 96,
      sortable: true,
      align: 'end',
      cell: (_, channel) => (
        <Box sx={{ display: 'flex', alignItems: 'center', justifyContent: 'flex-end' }}>
          <PriorityHandle channel={channel} />
          <RoutingCell channel={channel} field="priority" />
        </Box>
      ),
    }),
    column.field('weight', t('weight'), {
      size: 74,
      sortable: true,
      align: 'end',
      cell: (_, channel) => <RoutingCell channel={channel} field="weight" />,
    }),
  ];
}

const MOST = 1_000_000;

/** Shows the priority or the weight, editable in the table. */
function RoutingCell({ channel, field }: { channel: Channel; field: 'priority' | 'weight' }) {
  const { t } = useTranslation('channels');
  const { setRouting } = useChannelActions();
  const mayWrite = useHasAccess('channels.write');
  const priority = field === 'priority';
  if (!mayWrite) return channel[field];
  return (
    <InlineNumber
      value={channel[field]}
      min={priority ? 0 : 1}
      max={MOST}
      label={t(priority ? 'priorityOf' : 'weightOf', { name: channel.name })}
      onSave={(value) => void setRouting(channel, priority ? { priority: value } : { weight: value })}
    />
  );
}
