import type { Context } from '../context.ts';
import { emptyRecord, type NewUsageRecord } from '../ledger/ledger.ts';
import { nowSeconds } from '../platform/clock.ts';

let requests = 0;

/** Writes records of calls like the gateway. Missing fields get default values. */
export async function insertUsageRecords(
  ctx: Context,
  userId: number,
  records: readonly Partial<NewUsageRecord>[],
): Promise<void> {
  for (const record of records) {
    requests += 1;
    ctx.ledger.record({
      ...emptyRecord,
      request_id: `request-${requests}`,
      created_at: nowSeconds(ctx.clock),
      type: 'consume',
      user_id: userId,
      model: 'gpt-4o',
      group_symbol: 'default',
      quota: 10,
      prompt_tokens: 100,
      completion_tokens: 20,
      duration_ms: 500,
      first_byte_ms: 100,
      address: '192.0.2.1',
      usage_source: 'reported',
      ...record,
    });
  }
  // Records are committed in groups; a transaction waits for the earlier ones.
  await ctx.ledger.transaction(async () => {});
}
