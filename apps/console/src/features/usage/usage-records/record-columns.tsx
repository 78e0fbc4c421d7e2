import Box from '@mui/material/Box';
import Tooltip from '@mui/material/Tooltip';
import type { UsageRecord } from '@switchyard/contract/usage/usage-records';
import { IconBolt } from '@tabler/icons-react';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { Name } from '../../../ui/display/formatted-values.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import {
  momentCell,
  moneyCell,
  monoCell,
  optionalMonoCell,
  whoColumns,
} from '../../../ui/table/cells-and-user-columns.tsx';
import { columnsFor } from '../../../ui/table/table-columns-and-props.ts';
import type { Scope } from './queries.ts';
import { isCall, RecordTypeChip, tokensPerSecond } from './record-type-and-speed.tsx';

const column = columnsFor<UsageRecord>();
type Words = TFunction<'usage-records'>;

export function recordColumns(
  t: Words,
  scope: Scope,
  words: { number: (value: number) => string; groupName: (symbol: string) => string },
) {
  const wide = scope === 'everybody';
  return [
    ...whatColumns(t),
    ...(wide ? whoColumns<UsageRecord>(t('user'), t('channel')) : []),
    column.field('group', t('group'), {
      size: 100,
      hidden: wide,
      cell: (group) => (group === '' ? UNKNOWN : words.groupName(group)),
    }),
    ...figureColumns(t, words.number),
    column.field('source_ip', t('address'), { size: 130, sortable: true, hidden: wide, cell: optionalMonoCell }),
    column.field('request_id', t('requestId'), { size: 180, hidden: true, cell: monoCell }),
  ];
}

function whatColumns(t: Words) {
  return [
    column.field('created_at', t('time'), { size: 104, sortable: true, card: 'figure', cell: momentCell }),
    column.field('type', t('type'), {
      size: 88,
      sortable: true,
      card: 'state',
      cell: (_, record) => <RecordTypeChip record={record} />,
    }),
    column.field('model_name', t('model'), {
      size: 180,
      sortable: true,
      card: 'title',
      cell: (_, record) => <ModelCell record={record} />,
    }),
    column.field('token_name', t('token'), {
      size: 106,
      sortable: true,
      cell: (_, record) => <Name id={record.token_id}>{record.token_name}</Name>,
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

function figureColumns(t: Words, number: (value: number) => string) {
  return [
    column.field('prompt_tokens', t('input'), {
      size: 80,
      align: 'end',
      cell: (_, record) => <InputCell record={record} />,
    }),
    column.field('completion_tokens', t('output'), {
      size: 72,
      align: 'end',
      cell: (completionTokens, record) => (isCall(record) ? number(completionTokens) : UNKNOWN),
    }),
    column.field('request_time', t('duration'), {
      size: 136,
      sortable: true,
      align: 'end',
      cell: (_, record) => <DurationCell record={record} />,
    }),
    column.computed('speed', t('speed'), (record) => tokensPerSecond(record) ?? null, {
      size: 78,
      align: 'end',
      cell: (_, record) => <SpeedCell record={record} />,
    }),
    column.field('quota', t('cost'), { size: 84, sortable: true, align: 'end', card: 'figure', cell: moneyCell }),
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
