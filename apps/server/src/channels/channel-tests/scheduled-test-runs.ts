/** Runs of scheduled tests: at most one at a time, by a lease that the run renews; stored for the console. */
import type { TestRun } from '@switchyard/contract/channels/channel-tests';
import type { Context } from '../../context.ts';
import { matchesAnyKey, pluckIds, processRowsInChunks } from '../../db/process-in-chunks.ts';
import { nowSeconds } from '../../platform/clock.ts';

/** Exceeds the duration of one channel's tests, which is the renewal interval. */
const LEASE_SECONDS = 600;
const MINUTE_SECONDS = 60;
const DAY_SECONDS = 86_400;
const RUNS_SHOWN = 20;
const TESTS_KEPT_DAYS = 30;
const RUNS_KEPT_DAYS = 90;

export type RunCounts = Pick<TestRun, 'passed' | 'failed' | 'left_out' | 'cost_micro_usd'>;

/** @returns the id of the run; undefined when it is not due, or one is running */
export async function beginRun(ctx: Context, everyMinutes: number): Promise<number | undefined> {
  const now = nowSeconds(ctx.clock);
  const due = now - everyMinutes * MINUTE_SECONDS;
  return ctx.db.writer.transaction().execute(async (trx) => {
    const other = await trx
      .selectFrom('channel_test_run')
      .select('id')
      .where((eb) =>
        eb.or([eb('started_at', '>', due), eb.and([eb('ended_at', 'is', null), eb('leased_until', '>', now)])]),
      )
      .limit(1)
      .executeTakeFirst();
    if (other !== undefined) return undefined;
    const { id } = await trx
      .insertInto('channel_test_run')
      .values({ started_at: now, leased_until: now + LEASE_SECONDS })
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  });
}

export async function recordRun(ctx: Context, id: number, counts: RunCounts): Promise<void> {
  await ctx.db.writer
    .updateTable('channel_test_run')
    .set({ ...counts, leased_until: nowSeconds(ctx.clock) + LEASE_SECONDS })
    .where('id', '=', id)
    .execute();
}

export async function endRun(ctx: Context, id: number, counts: RunCounts): Promise<void> {
  await ctx.db.writer
    .updateTable('channel_test_run')
    .set({ ...counts, ended_at: nowSeconds(ctx.clock) })
    .where('id', '=', id)
    .execute();
}

/** Returns the cost of this UTC day's runs in micro-USD. */
export async function readSpentToday(ctx: Context): Promise<number> {
  const now = nowSeconds(ctx.clock);
  const { spent } = await ctx.db.writer
    .selectFrom('channel_test_run')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('cost_micro_usd'), eb.lit(0)).as('spent'))
    .where('started_at', '>=', now - (now % DAY_SECONDS))
    .executeTakeFirstOrThrow();
  return spent;
}

/** Lists runs, newest first. */
export async function listRuns(ctx: Context): Promise<TestRun[]> {
  const now = nowSeconds(ctx.clock);
  const rows = await ctx.db.writer
    .selectFrom('channel_test_run')
    .selectAll()
    .orderBy('id', 'desc')
    .limit(RUNS_SHOWN)
    .execute();
  return rows.map(({ leased_until, ...row }) => ({ ...row, is_running: row.ended_at === null && leased_until > now }));
}

/** Removes old test runs and results, and results of deleted channels. @returns the number of removed rows */
export async function removeOldTests({ db, clock }: Context, stopping?: AbortSignal): Promise<number> {
  const now = nowSeconds(clock);
  const results = await processRowsInChunks(
    db,
    (trx) =>
      trx
        .selectFrom('channel_test')
        .select(['channel_id', 'model', 'kind'])
        .where((eb) =>
          eb.or([
            eb('tested_at', '<', now - TESTS_KEPT_DAYS * DAY_SECONDS),
            eb('channel_id', 'in', eb.selectFrom('channel').select('id').where('deleted_time', 'is not', null)),
          ]),
        ),
    (trx, rows) =>
      trx
        .deleteFrom('channel_test')
        .where(matchesAnyKey(['channel_id', 'model', 'kind'], rows))
        .execute(),
    stopping,
  );
  const runs = await processRowsInChunks(
    db,
    (trx) =>
      trx
        .selectFrom('channel_test_run')
        .select('id')
        .where('started_at', '<', now - RUNS_KEPT_DAYS * DAY_SECONDS),
    (trx, rows) => trx.deleteFrom('channel_test_run').where('id', 'in', pluckIds(rows)).execute(),
    stopping,
  );
  return results + runs;
}
