import Box from '@mui/material/Box';
import Tooltip from '@mui/material/Tooltip';
import type { UsageRecord } from '@switchyard/contract/usage/usage-records';
import { IconBolt } from '@tabler/icons-react';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { paths, userPath } from '../../../paths.ts';
import { Moment, Money, Name } from '../../../ui/display/inline-values.tsx';
import { Mono } from '../../../ui/display/mono.tsx';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { CellLink } from '../../../ui/table/cell-link.tsx';
import { columnsFor } from '../../../ui/table/table-features.ts';
import type { Scope } from './queries.ts';
import { isCall, RecordTypeChip, tokensPerSecond } from './record-chips.tsx';

const helper = columnsFor<UsageRecord>();
type Words = TFunction<'usage-records'>;

export function recordColumns(
  t: Words,
  scope: Scope,
  words: { number: (value: number) => string; groupName: (symbol: string) => string },
) {
  const wide = scope === 'everybody';
  return helper.columns([
    ...whatColumns(t),
    ...(wide ? whoColumns(t) : []),
    helper.accessor('group', {
      header: t('group'),
      size: 100,
      cell: ({ getValue }) => (getValue() === '' ? UNKNOWN : words.groupName(getValue())),
      meta: { label: t('group'), hidden: wide },
    }),
    ...figureColumns(t, words.number),
    helper.accessor('source_ip', {
      header: t('address'),
      size: 130,
      enableSorting: true,
      cell: ({ getValue }) => (getValue() === '' ? UNKNOWN : <Mono>{getValue()}</Mono>),
      meta: { label: t('address'), hidden: wide },
    }),
    helper.accessor('request_id', {
      header: t('requestId'),
      size: 180,
      cell: ({ getValue }) => <Mono>{getValue()}</Mono>,
      meta: { label: t('requestId'), hidden: true },
    }),
  ]);
}

function whatColumns(t: Words) {
  return [
    helper.accessor('created_at', {
      header: t('time'),
      size: 104,
      enableSorting: true,
      cell: ({ getValue }) => <Moment seconds={getValue()} />,
      meta: { label: t('time'), card: 'figure' },
    }),
    helper.accessor('type', {
      header: t('type'),
      size: 88,
      enableSorting: true,
      cell: ({ row }) => <RecordTypeChip record={row.original} />,
      meta: { label: t('type'), card: 'state' },
    }),
    helper.accessor('model_name', {
      header: t('model'),
      size: 180,
      enableSorting: true,
      cell: ({ row }) => <ModelCell record={row.original} />,
      meta: { label: t('model'), card: 'title' },
    }),
    helper.accessor('token_name', {
      header: t('token'),
      size: 106,
      enableSorting: true,
      cell: ({ row: { original } }) => <Name id={original.token_id}>{original.token_name}</Name>,
      meta: { label: t('token') },
    }),
  ];
}

function ModelCell({ record }: { record: UsageRecord }) {
  const { t } = useTranslation('usage-records');
  if (record.model_name === '')
    return (
      <Box component="span" sx={{ color: 'text.secondary' }}>
        {record.content}
      </Box>
    );
  return (
    <>
      <Mono>{record.model_name}</Mono>
      {record.is_stream && (
        <Box component="span" title={t('streamed')} sx={{ ml: 0.5, color: 'text.secondary' }}>
          <IconBolt size={14} role="img" aria-label={t('streamed')} style={{ verticalAlign: '-2px' }} />
        </Box>
      )}
    </>
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
    helper.accessor((record) => record.channel?.name ?? '', {
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

function figureColumns(t: Words, number: (value: number) => string) {
  return [
    helper.accessor('prompt_tokens', {
      header: t('input'),
      size: 80,
      cell: ({ row }) => <InputCell record={row.original} />,
      meta: { label: t('input'), align: 'end' },
    }),
    helper.accessor('completion_tokens', {
      header: t('output'),
      size: 72,
      cell: ({ row, getValue }) => (isCall(row.original) ? number(getValue()) : UNKNOWN),
      meta: { label: t('output'), align: 'end' },
    }),
    helper.accessor('request_time', {
      header: t('duration'),
      size: 136,
      enableSorting: true,
      cell: ({ row }) => <DurationCell record={row.original} />,
      meta: { label: t('duration'), align: 'end' },
    }),
    helper.accessor((record) => tokensPerSecond(record) ?? null, {
      id: 'speed',
      header: t('speed'),
      size: 78,
      cell: ({ row }) => <SpeedCell record={row.original} />,
      meta: { label: t('speed'), align: 'end' },
    }),
    helper.accessor('quota', {
      header: t('cost'),
      size: 84,
      enableSorting: true,
      cell: ({ getValue }) => <Money points={getValue()} />,
      meta: { label: t('cost'), align: 'end', card: 'figure' },
    }),
  ];
}

/** Shows all input tokens, and beside them the number of cached ones. */
function InputCell({ record }: { record: UsageRecord }) {
  const { t } = useTranslation('usage-records');
  const format = useFormat();
  if (!isCall(record)) return UNKNOWN;
  const input = format.number(record.prompt_tokens);
  if (record.cached_tokens === 0) return input;
  return (
    <Tooltip title={t('cachedPart', { count: record.cached_tokens, tokens: format.number(record.cached_tokens) })}>
      <span>
        <Box
          component="span"
          aria-hidden
          sx={{
            display: 'inline-block',
            width: 6,
            height: 6,
            mr: 0.75,
            borderRadius: '50%',
            bgcolor: 'info.main',
            verticalAlign: 'middle',
          }}
        />
        {input}
      </span>
    </Tooltip>
  );
}

/** Shows the total time and, for a stream, the time to the first byte. */
function DurationCell({ record }: { record: UsageRecord }) {
  const format = useFormat();
  if (!isCall(record) || record.request_time === 0) return UNKNOWN;
  return (
    <>
      {format.duration(record.request_time)}
      {record.first_byte_time > 0 && record.is_stream && (
        <Box component="span" sx={{ color: 'text.secondary' }}>
          {' / '}
          {format.duration(record.first_byte_time)}
        </Box>
      )}
    </>
  );
}

function SpeedCell({ record }: { record: UsageRecord }) {
  const format = useFormat();
  const speed = tokensPerSecond(record);
  return speed === undefined ? UNKNOWN : format.number(speed, speed < 10 ? 1 : 0);
}
