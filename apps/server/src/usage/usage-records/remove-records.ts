/**
 * Removes records of calls after their retention, without blocking requests. Records that are not calls stay
 * permanently.
 */
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import type { Database } from '../../db/open-database.ts';
import { CHUNK_ROWS, runInChunks } from '../../db/process-in-chunks.ts';
import { dropMonth, listRecordMonths, type RecordMonth } from '../../db/record-partitions.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { writeHourRollups } from '../analytics/analytics.ts';
import { archiveDays } from './archive-days.ts';
import { DAY_SECONDS, GRACE_SECONDS, getDayStart, removeDayRollupsBefore } from './day-rollups.ts';
import { requireExported } from './export-to-clickhouse.ts';
import { isCall, isNotCall } from './record-queries.ts';
import { writeGroupRollups } from './user-group-day-rollups.ts';

/**
 * @returns the number of removed calls, all before the given time (UTC seconds) and of past days. Newer records may
 * still be written or sent, and are not in the stored sums.
 * @throws AppError `conflict` while some records have not been sent to ClickHouse, `upstream-failed` while they
 * cannot be archived; the abort reason if the job stops before the end
 */
export async function removeRecordsBefore(ctx: Context, moment: number, stopping?: AbortSignal): Promise<number> {
  const over = getDayStart(nowSeconds(ctx.clock) - GRACE_SECONDS);
  const before = Math.min(moment, over, await findNewestProtectedTime(ctx.db));
  await requireExported(ctx, before);
  if (ctx.settings.recordArchive) await archiveDays(ctx, before, stopping);
  await writeGroupRollups(ctx, stopping);
  await writeHourRollups(ctx, stopping);
  stopping?.throwIfAborted();
  await removeDayRollupsBefore(ctx, before);
  try {
    const inMonths = await removeMonths(ctx, before, stopping);
    return inMonths + (await removeRows(ctx, before, stopping));
  } finally {
    // Days that were summed up meanwhile have lost calls since.
    await removeDayRollupsBefore(ctx, before);
  }
}

/**
 * Finds the newest record if it must not be removed. SQLite assigns the id of a removed newest record again, and the export
 * to ClickHouse, which continues by id, would skip the new record.
 * @returns its time; `MAX_SAFE_INTEGER` if every record may be removed
 */
async function findNewestProtectedTime({ engine, writer }: Database): Promise<number> {
  if (engine.kind !== 'sqlite') return Number.MAX_SAFE_INTEGER;
  const { rows } = await sql<{ created_at: number }>`select r.created_at from usage_record r
    where r.id = (select max(id) from usage_record) and ${isCall} and exists (select 1 from shipped_record)`.execute(
    writer,
  );
  return rows[0]?.created_at ?? Number.MAX_SAFE_INTEGER;
}

/**
 * Removes whole past months, each of which has its own partition. Older calls are removed first: the self-check
 * attributes a charge without a record to a removed record only if no older record exists.
 */
async function removeMonths(ctx: Context, before: number, stopping: AbortSignal | undefined): Promise<number> {
  let removed = 0;
  for (const month of await listRecordMonths(ctx.db)) {
    if (month.to > before) continue;
    removed += await removeRows(ctx, month.from, stopping);
    const calls = await countCalls(ctx, month);
    removed += (await dropMonth(ctx.db, month)) ? calls : await removeRows(ctx, month.to, stopping);
  }
  return removed;
}

/** Counts calls day by day, so that no statement takes very long. */
function countCalls({ db }: Pick<Context, 'db'>, { from, to }: RecordMonth): Promise<number> {
  return db.readLongRunning(async (reader) => {
    const first = await reader
      .selectFrom('usage_record')
      .select((eb) => eb.fn.min<number | null>('created_at').as('time'))
      .where('created_at', '>=', from)
      .where('created_at', '<', to)
      .executeTakeFirstOrThrow();
    let calls = 0;
    for (let day = getDayStart(first.time ?? to); day < to; day += DAY_SECONDS) {
      const within = sql`created_at >= ${Math.max(day, from)} and created_at < ${day + DAY_SECONDS}`;
      // Records that are not calls have an index, so that no row is read.
      const { rows } = await sql<{ calls: number }>`select (select count(*) from usage_record r where ${within})
        - (select count(*) from usage_record r where ${within} and ${isNotCall}) as calls`.execute(reader);
      calls += rows[0]?.calls ?? 0;
    }
    return calls;
  });
}

async function removeRows(
  ctx: Pick<Context, 'db' | 'changes' | 'clock'>,
  before: number,
  stopping: AbortSignal | undefined,
): Promise<number> {
  const { db } = ctx;
  let removed = 0;
  // Removed rows are still in the indexes, so each chunk begins after the previous one.
  let from = 0;
  await runInChunks(
    db.machine,
    async () => {
      const { rows } = await sql<{ id: number; created_at: number }>`select r.id, r.created_at from usage_record r
      where r.created_at >= ${from} and r.created_at < ${before} and ${isCall}
      order by r.created_at, r.id limit 1 offset ${CHUNK_ROWS - 1}`.execute(db.reader);
      const [last] = rows;
      // A single bound: with two, SQLite would read all rows before the first.
      const upTo =
        last === undefined
          ? sql`r.created_at < ${before}`
          : sql`r.created_at <= ${last.created_at} and (r.created_at < ${last.created_at} or r.id <= ${last.id})`;
      const { numAffectedRows = 0n } =
        await sql`delete from usage_record as r where r.created_at >= ${from} and ${upTo} and ${isCall}`.execute(
          db.writer,
        );
      removed += Number(numAffectedRows);
      // The sums of days that were summed up meanwhile are too high, and would stay so if this process died.
      await removeDayRollupsBefore(ctx, last === undefined ? before : last.created_at + 1);
      if (last === undefined) return false;
      from = last.created_at;
      return true;
    },
    stopping,
  );
  return removed;
}
