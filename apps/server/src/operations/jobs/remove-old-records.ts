import type { Context } from '../../context.ts';
import { createRecordMonths } from '../../db/record-months.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { removeRecordsBefore } from '../../usage/usage-records/usage-records.ts';

const DAY = 86_400;

/**
 * Deletes old records, and creates the next partitions where records lie in months. Records that can't be archived, or
 * weren't sent to ClickHouse, are kept and tried again.
 */
export async function removeOldRecords(ctx: Context, stopping: AbortSignal): Promise<void> {
  await createRecordMonths(ctx.db);
  const { recordDays } = ctx.settings;
  if (recordDays === 0) return;
  const now = nowSeconds(ctx.clock);
  const before = now - (now % DAY) - recordDays * DAY;
  const removed = await removeRecordsBefore(ctx, before, stopping);
  if (removed > 0) ctx.log.info({ removed, before }, 'removed expired usage records');
}
