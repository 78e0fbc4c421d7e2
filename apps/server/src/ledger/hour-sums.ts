/** Adds up the usage records of one commit by hour, user, model and channel, for the roll-up that reports read. */
import type { NewUsageRecord } from './movement.ts';

export interface HourSum {
  /** UTC seconds of its start. */
  hour: number;
  userId: number;
  model: string;
  channelId: number;
  requests: number;
  errors: number;
  quota: number;
  cost: number;
  costedQuota: number;
  promptTokens: number;
  completionTokens: number;
  durationMs: number;
}

const HOUR_SECONDS = 3600;

export function addToHours(sums: Map<string, HourSum>, record: NewUsageRecord): void {
  if (record.type !== 'consume' && record.type !== 'error') return;
  const sum = sumFor(sums, record);
  if (record.type === 'error') {
    sum.errors += 1;
    return;
  }
  sum.requests += 1;
  sum.quota += record.quota;
  if (record.cost !== null) {
    sum.cost += record.cost;
    sum.costedQuota += record.quota;
  }
  sum.promptTokens += record.prompt_tokens;
  sum.completionTokens += record.completion_tokens;
  sum.durationMs += record.duration_ms;
}

function sumFor(sums: Map<string, HourSum>, record: NewUsageRecord): HourSum {
  const hour = record.created_at - (record.created_at % HOUR_SECONDS);
  const channelId = record.channel_id ?? 0;
  const name = `${hour} ${record.user_id} ${channelId} ${record.model}`;
  const known = sums.get(name);
  if (known !== undefined) return known;
  const sum: HourSum = {
    hour,
    userId: record.user_id,
    model: record.model,
    channelId,
    requests: 0,
    errors: 0,
    quota: 0,
    cost: 0,
    costedQuota: 0,
    promptTokens: 0,
    completionTokens: 0,
    durationMs: 0,
  };
  sums.set(name, sum);
  return sum;
}
