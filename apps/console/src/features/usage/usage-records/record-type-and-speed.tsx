import type { UsageRecord } from '@switchyard/contract/usage/usage-records';
import type { RecordType } from '@switchyard/contract/wire-enums';
import { useTranslation } from 'react-i18next';
import { StatusChip, type Tone } from '../../../ui/display/status-and-tag-chips.tsx';

/** Tones of the record types; red is for errors only. */
const tones: Record<RecordType, Tone> = {
  consume: 'neutral',
  error: 'error',
  'top-up': 'success',
  manage: 'info',
  system: 'info',
};

export function RecordTypeChip({ record }: { record: Pick<UsageRecord, 'type' | 'content'> }) {
  const { t } = useTranslation('usage-records');
  return (
    <StatusChip tone={tones[record.type]} dot={false} hint={record.type === 'consume' ? undefined : record.content}>
      {t(`typeName.${record.type}`)}
    </StatusChip>
  );
}

export function isCall(record: Pick<UsageRecord, 'type'>): boolean {
  return record.type === 'consume' || record.type === 'error';
}

/** Returns output tokens per second after the first byte; undefined without tokens or time. */
export function tokensPerSecond(record: UsageRecord): number | undefined {
  const { completion_tokens, request_time, first_byte_time, is_stream } = record;
  // Without streaming all tokens arrive at the end, so the total time counts.
  const milliseconds = is_stream ? request_time - first_byte_time : request_time;
  if (completion_tokens === 0 || milliseconds <= 0) return undefined;
  return completion_tokens / (milliseconds / 1000);
}
