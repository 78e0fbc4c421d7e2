import Box from '@mui/material/Box';
import Tooltip from '@mui/material/Tooltip';
import type { UsageRecord } from '@switchyard/contract/usage/usage-records';
import { useTranslation } from 'react-i18next';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { isCall, tokensPerSecond } from './record-chips.tsx';

/** All input tokens; how many of them came from the vendor's cache is beside them. */
export function InputCell({ record }: { record: UsageRecord }) {
  const { t } = useTranslation('usage-records');
  const format = useFormat();
  if (!isCall(record)) return UNKNOWN;
  const input = format.number(record.prompt_tokens);
  if (record.cached_tokens === 0) return input;
  return (
    <Tooltip
      title={t('cachedPart', { count: record.cached_tokens, tokens: format.number(record.cached_tokens) })}
    >
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

/** The whole time, and after a slash the time to the first byte. */
export function DurationCell({ record }: { record: UsageRecord }) {
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

export function SpeedCell({ record }: { record: UsageRecord }) {
  const format = useFormat();
  const speed = tokensPerSecond(record);
  return speed === undefined ? UNKNOWN : format.number(speed, speed < 10 ? 1 : 0);
}
