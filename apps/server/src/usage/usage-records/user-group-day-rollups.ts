/**
 * Daily charges and costs of each group's calls. The hourly sums have no groups, so that relayed calls have no extra
 * work: a day is summed up once it is over, and until then its records are read.
 */
import { setImmediate } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context.ts';
import type { Database } from '../../db/open-database.ts';
import { CHUNK_ROWS } from '../../db/process-in-chunks.ts';
import { removePrematureRollups } from '../../db/remove-premature-rollups.ts';
import { isLocalCharge } from '../../ledger/ledger.ts';
import { nowSeconds } from '../../platform/clock.ts';
import type { Schema } from '../../schema.ts';
import { DAY_SECONDS, GRACE_SECONDS, getDayStart, readDay } from './day-rollups.ts';
import type { UsageGroupDayTable } from './table.ts';

export type GroupTotals = Omit<UsageGroupDayTable, 'day'>;

type GroupRollupContext = Pick<Context, 'db' | 'clock'>;

/**
 * Sums up the oldest days first, so that no day before the last one is missing. Must complete before records are
 * deleted.
 */
export async function writeGroupRollups(ctx: GroupRollupContext, stopping?: AbortSignal): Promise<void> {
  const over = getDayStart(nowSeconds(ctx.clock) - GRACE_SECONDS);
  await removePrematureRollups(ctx.db, 'usage_group_day', over);
  for (let day = await findFirstOpenDay(ctx.db.reader); day < over; day += DAY_SECONDS) {
    if (stopping?.aborted === true) return;
    const sums = await readDay(ctx.db, day, (reader) => readRecords(reader, day, day + DAY_SECONDS));
    await insertTotals(ctx.db, day, sums);
  }
}

/** Inserts the sums of a day in chunks, which together appear at once: a day with some sums counts as complete. */
async function insertTotals({ writer }: Database, day: number, sums: readonly GroupTotals[]): Promise<void> {
  await writer.transaction().execute(async (trx) => {
    for (let at = 0; at < sums.length; at += CHUNK_ROWS) {
      if (at > 0) await setImmediate();
      await trx
        .insertInto('usage_group_day')
        .values(sums.slice(at, at + CHUNK_ROWS).map((sum) => ({ day, ...sum })))
        // The job and a deletion of old records may sum up the same day.
        .onConflict((conflict) => conflict.columns(['day', 'group_symbol']).doNothing())
        .execute();
    }
  });
}

/**
 * Returns the sums of whole days: those that contain `from` and `to` (UTC seconds) and those between; the most
 * expensive group first.
 */
export async function readGroupTotals(ctx: GroupRollupContext, from: number, to: number): Promise<GroupTotals[]> {
  const [start, stop] = [getDayStart(from), getDayStart(to) + DAY_SECONDS];
  const { reports } = ctx.db;
  const open = await findFirstOpenDay(reports);
  const { rows: closed } = await sql<GroupTotals>`select group_symbol, sum(requests) as requests,
      sum(quota) as quota, sum(cost) as cost, sum(costed_quota) as costed_quota
    from usage_group_day where day >= ${start} and day < ${stop} and day < ${open}
    group by group_symbol`.execute(reports);
  const sums = new Map<string, GroupTotals>();
  for (const sum of [...closed, ...(await readRecords(reports, Math.max(start, open), stop))]) {
    const before = sums.get(sum.group_symbol);
    sums.set(sum.group_symbol, before === undefined ? sum : addTotals(before, sum));
  }
  return [...sums.values()].toSorted((a, b) => b.quota - a.quota);
}

/** Returns the day after the last one that was summed up. */
async function findFirstOpenDay(db: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{ day: number | null }>`select coalesce(
      (select max(day) + ${DAY_SECONDS} from usage_group_day),
      (select min(hour) - min(hour) % ${DAY_SECONDS} from usage_hour)
    ) as day`.execute(db);
  return rows[0]?.day ?? Number.MAX_SAFE_INTEGER;
}

async function readRecords(db: Kysely<Schema>, from: number, to: number): Promise<GroupTotals[]> {
  if (from >= to) return [];
  const { rows } = await sql<GroupTotals>`select group_symbol, count(*) as requests, sum(quota) as quota,
      sum(coalesce(cost, 0)) as cost, sum(iif(cost is null, 0, quota)) as costed_quota
    from usage_record where created_at >= ${from} and created_at < ${to} and type = 'consume' and ${isLocalCharge}
    group by group_symbol`.execute(db);
  return rows;
}

function addTotals(a: GroupTotals, b: GroupTotals): GroupTotals {
  return {
    group_symbol: a.group_symbol,
    requests: a.requests + b.requests,
    quota: a.quota + b.quota,
    cost: a.cost + b.cost,
    costed_quota: a.costed_quota + b.costed_quota,
  };
}
