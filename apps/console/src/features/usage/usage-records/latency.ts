import type { UsageRecordDetail } from '@switchyard/contract/usage/usage-records';

export interface LatencyPart {
  name: 'before' | 'waiting' | 'streaming';
  /** Milliseconds. */
  duration: number;
}

/**
 * Splits a call's latency into the time before the last attempt, the time to the first byte and the streaming
 * time. Users who cannot see attempts get the first two as one part.
 */
export function latencyParts(
  record: Pick<UsageRecordDetail, 'request_time' | 'first_byte_time' | 'attempts'>,
): LatencyPart[] {
  const { request_time: end, first_byte_time, attempts } = record;
  const firstByte = first_byte_time === 0 ? end : Math.min(first_byte_time, end);
  const before = Math.min(attempts.at(-1)?.started_after ?? 0, firstByte);
  const parts: LatencyPart[] = [
    { name: 'before', duration: before },
    { name: 'waiting', duration: firstByte - before },
    { name: 'streaming', duration: end - firstByte },
  ];
  return parts.filter(({ duration }) => duration > 0);
}
