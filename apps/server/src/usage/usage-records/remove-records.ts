/** Records of calls whose time is over go, and nobody waits for it; records that are no calls stay for ever. */
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import type { Database } from '../../db/db.ts';
import { inPieces, PIECE_ROWS } from '../../db/in-pieces.ts';
import { dropMonth, type RecordMonth, recordMonths } from '../../db/record-months.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { packHours } from '../analytics/analytics.ts';
import { archiveDays } from './archive-days.ts';
import { sumUpGroups } from './group-days.ts';
import { isACall, notACall } from './record-queries.ts';
import { requireShipped } from './ship-records.ts';
import { DAY, dayOf, forgetDaysBefore, GRACE_SECONDS } from './summarise-days.ts';

/**
 * @returns how many, all of them from before that moment (UTC seconds) and of days that are over: what is newer may still be
 * written and sent, and is not in the sums that stay
 * @throws AppError `conflict` while some of them have not been sent to ClickHouse, `upstream-failed` while they cannot be
 * archived; when it is to stop, with the rest there
 */
export async function removeRecordsBefore(
  ctx: Context,
  moment: number,
  stopping?: AbortSignal,
): Promise<number> {
  const over = dayOf(nowSeconds(ctx.clock) - GRACE_SECONDS);
  const before = Math.min(moment, over, await newestToStay(ctx.db));
  await requireShipped(ctx, before);
  if (ctx.settings.recordArchive) await archiveDays(ctx, before, stopping);
  await sumUpGroups(ctx, stopping);
  await packHours(ctx, stopping);
  stopping?.throwIfAborted();
  await forgetDaysBefore(ctx, before);
  try {
    const inMonths = await removeMonths(ctx, before, stopping);
    return inMonths + (await removeRows(ctx, before, stopping));
  } finally {
    // Days that were added up meanwhile have lost calls since.
    await forgetDaysBefore(ctx, before);
  }
}

/**
 * A file gives the number of its newest record again once that is gone. ClickHouse, which goes by numbers, would take the
 * next record for one that it has: so the newest stays, with what is no older, until there is another.
 * @returns its time; of a record that stays anyway, no time
 */
async function newestToStay({ engine, writer }: Database): Promise<number> {
  if (engine.kind !== 'sqlite') return Number.MAX_SAFE_INTEGER;
  const { rows } = await sql<{ created_at: number }>`select r.created_at from usage_record r
    where r.id = (select max(id) from usage_record) and ${isACall} and exists (select 1 from shipped_record)`.execute(
    writer,
  );
  return rows[0]?.created_at ?? Number.MAX_SAFE_INTEGER;
}

/**
 * Months that are over as a whole, where each has a table of its own. No call goes while there is an older one: whoever
 * checks the books takes a charge without its record for one that was removed only while none older is there.
 */
async function removeMonths(
  ctx: Context,
  before: number,
  stopping: AbortSignal | undefined,
): Promise<number> {
  let removed = 0;
  for (const month of await recordMonths(ctx.db)) {
    if (month.to > before) continue;
    removed += await removeRows(ctx, month.from, stopping);
    const calls = await countCalls(ctx, month);
    removed += (await dropMonth(ctx.db, month)) ? calls : await removeRows(ctx, month.to, stopping);
  }
  return removed;
}

/** Day by day, so that no statement takes very long. */
function countCalls({ db }: Pick<Context, 'db'>, { from, to }: RecordMonth): Promise<number> {
  return db.readAtLength(async (reader) => {
    const first = await reader
      .selectFrom('usage_record')
      .select((eb) => eb.fn.min<number | null>('created_at').as('time'))
      .where('created_at', '>=', from)
      .where('created_at', '<', to)
      .executeTakeFirstOrThrow();
    let calls = 0;
    for (let day = dayOf(first.time ?? to); day < to; day += DAY) {
      const within = sql`created_at >= ${Math.max(day, from)} and created_at < ${day + DAY}`;
      // The others have an index of their own, so that no row is read.
      const { rows } = await sql<{
        calls: number;
      }>`select (select count(*) from usage_record r where ${within})
        - (select count(*) from usage_record r where ${within} and ${notACall}) as calls`.execute(reader);
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
  await inPieces(
    db.machine,
    async () => {
      const { rows } = await sql<{
        id: number;
        created_at: number;
      }>`select r.id, r.created_at from usage_record r
      where r.created_at >= ${from} and r.created_at < ${before} and ${isACall}
      order by r.created_at, r.id limit 1 offset ${PIECE_ROWS - 1}`.execute(db.reader);
      const [last] = rows;
      // One bound: of two, SQLite would go through all rows before the first that stands here.
      const upTo =
        last === undefined
          ? sql`r.created_at < ${before}`
          : sql`r.created_at <= ${last.created_at} and (r.created_at < ${last.created_at} or r.id <= ${last.id})`;
      const { numAffectedRows = 0n } =
        await sql`delete from usage_record as r where r.created_at >= ${from} and ${upTo} and ${isACall}`.execute(
          db.writer,
        );
      removed += Number(numAffectedRows);
      // Days that were added up meanwhile say more than there is, for good should this process die.
      await forgetDaysBefore(ctx, last === undefined ? before : last.created_at + 1);
      if (last === undefined) return false;
      from = last.created_at;
      return true;
    },
    stopping,
  );
  return removed;
}
