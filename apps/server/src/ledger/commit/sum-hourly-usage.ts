/** Sums the usage records of one commit by hour, user, model and channel, for the rollup that reports read. */
import type { NewUsageRecord } from '../ledger-write-types.ts';
import type { UsageHourTable } from '../table.ts';

const HOUR_SECONDS = 3600;

export function addToRollups(sums: Map<string, UsageHourTable>, record: NewUsageRecord): void {
  if (record.type !== 'consume' && record.type !== 'error') return;
  const sum = getRollup(sums, record);
  if (record.type === 'error') {
    sum.errors += 1;
    return;
  }
  sum.requests += 1;
  sum.quota += record.quota;
  if (record.cost !== null) {
    sum.cost += record.cost;
    sum.costed_quota += record.quota;
  }
  sum.prompt_tokens += record.prompt_tokens;
  sum.completion_tokens += record.completion_tokens;
  sum.duration_ms += record.duration_ms;
}

function getRollup(sums: Map<string, UsageHourTable>, record: NewUsageRecord): UsageHourTable {
  const { user_id, model } = record;
  const hour = record.created_at - (record.created_at % HOUR_SECONDS);
  const channel_id = record.channel_id ?? 0;
  const name = `${hour} ${user_id} ${channel_id} ${model}`;
  const known = sums.get(name);
  if (known !== undefined) return known;
  const sum: UsageHourTable = {
    hour,
    user_id,
    model,
    channel_id,
    requests: 0,
    errors: 0,
    quota: 0,
    cost: 0,
    costed_quota: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
    duration_ms: 0,
  };
  sums.set(name, sum);
  return sum;
}
