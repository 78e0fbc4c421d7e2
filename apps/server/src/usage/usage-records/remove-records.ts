/** Records of calls whose time is over go, and nobody waits for it; records that are no calls stay for ever. */
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { CHUNK_ROWS, runInChunks } from '../../db/chunks.ts';
import type { Database } from '../../db/db.ts';
import { dropMonth, listRecordMonths, type RecordMonth } from '../../db/record-months.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { writeHourRollups } from '../analytics/analytics.ts';
import { archiveDays } from './archive-days.ts';
import { DAY_SECONDS, GRACE_SECONDS, getDayStart, removeDayRollupsBefore } from './day-rollups.ts';
import { requireExported } from './export-to-clickhouse.ts';
import { writeGroupRollups } from './group-rollups.ts';
import { isCall, isNotCall } from './record-queries.ts';

/**
 * @returns how many, all of them from before that moment (UTC seconds) and of days that are over: what is newer may still be
 * written and sent, and is not in the sums that stay
 * @throws AppError `conflict` while some of them have not been sent to ClickHouse, `upstream-failed` while they cannot be
 * archived; when it is to stop, with the rest there
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
    // Days that were added up meanwhile have lost calls since.
    await removeDayRollupsBefore(ctx, before);
  }
}

/**
 * A file gives the number of its newest record again once that is gone. ClickHouse, which goes by numbers, would take the
 * next record for one that it has: so the newest stays, with what is no older, until there is another.
 * @returns its time; of a record that stays anyway, no time
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
 * Months that are over as a whole, where each has a table of its own. No call goes while there is an older one: whoever
 * checks the books takes a charge without its record for one that was removed only while none older is there.
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

/** Day by day, so that no statement takes very long. */
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
      // The others have an index of their own, so that no row is read.
      const { rows } = await sql<{
        calls: number;
      }>`select (select count(*) from usage_record r where ${within})
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
  // What has just gone is still in the indexes: each piece begins behind it.
  let from = 0;
  await runInChunks(
    db.machine,
    async () => {
      const { rows } = await sql<{
        id: number;
        created_at: number;
      }>`select r.id, r.created_at from usage_record r
      where r.created_at >= ${from} and r.created_at < ${before} and ${isCall}
      order by r.created_at, r.id limit 1 offset ${CHUNK_ROWS - 1}`.execute(db.reader);
      const [last] = rows;
      // One bound: of two, SQLite would go through all rows before the first that stands here.
      const upTo =
        last === undefined
          ? sql`r.created_at < ${before}`
          : sql`r.created_at <= ${last.created_at} and (r.created_at < ${last.created_at} or r.id <= ${last.id})`;
      const { numAffectedRows = 0n } =
        await sql`delete from usage_record as r where r.created_at >= ${from} and ${upTo} and ${isCall}`.execute(
          db.writer,
        );
      removed += Number(numAffectedRows);
      // Days that were added up meanwhile say more than there is, for good should this process die.
      await removeDayRollupsBefore(ctx, last === undefined ? before : last.created_at + 1);
      if (last === undefined) return false;
      from = last.created_at;
      return true;
    },
    stopping,
  );
  return removed;
}
