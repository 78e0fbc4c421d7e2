/**
 * Sums up past days, so that the totals and matches of any filter are known without reading records. Relayed calls
 * have no extra work; until a day is summed up, its records are read.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Context } from '../../context.ts';
import type { Database } from '../../db/open-database.ts';
import { CHUNK_ROWS, matchesAnyKey, processRowsInChunks, runInChunks } from '../../db/process-in-chunks.ts';
import { nowSeconds } from '../../platform/clock.ts';
import type { Schema } from '../../schema.ts';
import { selectFirstCall } from './record-queries.ts';
import type { UsageDayTable } from './table.ts';

export const DAY_SECONDS = 86_400;
/**
 * Seconds after which a day's records are complete. Records are written when a call ends, so only a slow disk delays
 * them.
 */
export const GRACE_SECONDS = 600;
/** Number of calls. */
const LARGE_DAY = 1_000_000;
const rollupKey = [
  'day',
  'user_id',
  'api_key_id',
  'channel_id',
  'model',
  'group_symbol',
  'is_stream',
  'address',
] as const satisfies readonly (keyof UsageDayTable)[];

type DayRollupContext = Pick<Context, 'db' | 'changes'>;

/** Sums up the newest days first. Days that lost records since they were summed up are summed up again. */
export async function updateDayRollups(
  ctx: DayRollupContext & Pick<Context, 'clock'>,
  stopping?: AbortSignal,
): Promise<void> {
  const open = getDayStart(nowSeconds(ctx.clock) - GRACE_SECONDS);
  // A clock that was ahead created these sums before all their calls had happened.
  await removeDayRollups(ctx, sql`day >= ${open}`);
  const first = (await selectFirstCall.execute(ctx.db.reader)).rows[0];
  if (first === undefined) return;
  const rows = await ctx.db.writer.selectFrom('summarised_day').select('day').execute();
  const done = new Set(rows.map(({ day }) => day));
  const oldest = getDayStart(first.created_at);
  // Days without calls are marked together: imported records may be years older than the others.
  let empty: number[] = [];
  const markEmpty = async (): Promise<void> => {
    await markEmptyDays(ctx, empty);
    empty = [];
  };
  let lastCall = Number.POSITIVE_INFINITY;
  for (let day = open - DAY_SECONDS; day >= oldest && stopping?.aborted !== true; day -= DAY_SECONDS) {
    const isDone = done.has(day);
    if (!isDone && lastCall >= day + DAY_SECONDS) lastCall = await findLastCall(ctx.db, day + DAY_SECONDS);
    const isEmpty = !isDone && lastCall < day;
    if (isEmpty) empty.push(day);
    if (!isEmpty || empty.length === CHUNK_ROWS) await markEmpty();
    if (!isDone && !isEmpty) await writeDayRollup(ctx, day, stopping);
  }
  await markEmpty();
}

/** Returns the time of the newest call before a time (UTC seconds); negative infinity if there is none. */
async function findLastCall({ writer }: Database, before: number): Promise<number> {
  const row = await writer
    .selectFrom('usage_record')
    .select('created_at')
    .where('created_at', '<', before)
    .where('type', 'in', ['consume', 'error'])
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.created_at ?? Number.NEGATIVE_INFINITY;
}

/** @param days successive days, newest first */
async function markEmptyDays(ctx: DayRollupContext, days: readonly number[]): Promise<void> {
  const [newest, oldest] = [days[0], days.at(-1)];
  if (newest === undefined || oldest === undefined) return;
  const isOneOfThem = sql<boolean>`day between ${oldest} and ${newest}`;
  await deleteUnmarkedRollups(ctx.db, isOneOfThem);
  await ctx.db.writer
    .insertInto('summarised_day')
    .values(days.map((day) => ({ day })))
    .execute();
  // Records may have been imported before the days were marked.
  if ((await findLastCall(ctx.db, newest + DAY_SECONDS)) < oldest) await ctx.changes.publish({ topic: 'usage-days' });
  else await removeDayRollups(ctx, isOneOfThem);
}

/** Deletes the sums of earlier days, so that records can be removed from them. */
export const removeDayRollupsBefore = (ctx: DayRollupContext, before: number): Promise<void> =>
  removeDayRollups(ctx, sql`day < ${before}`);

async function removeDayRollups({ db, changes }: DayRollupContext, isOfThem: RawBuilder<boolean>): Promise<void> {
  const unmark = db.writer.deleteFrom('summarised_day').where(isOfThem);
  const { numDeletedRows } = await unmark.executeTakeFirstOrThrow();
  if ((await deleteUnmarkedRollups(db, isOfThem)) > 0) await unmark.execute();
  if (numDeletedRows > 0n) await changes.publish({ topic: 'usage-days' });
}

/** Deletes the sums of days that aren't marked as complete. A day that is summed up meanwhile has to be unmarked. */
function deleteUnmarkedRollups(db: Database, isOfThem: RawBuilder<boolean>): Promise<number> {
  return processRowsInChunks(
    db,
    (trx) => trx.selectFrom('usage_day').select(rollupKey).where(isOfThem),
    (trx, sums) => trx.deleteFrom('usage_day').where(matchesAnyKey(rollupKey, sums)).execute(),
  );
}

export const getDayStart = (time: number): number => time - (time % DAY_SECONDS);

/** Reads a day. A large day takes minutes, so it gets a separate reader, which is not worthwhile for other days. */
export async function readDay<T>(db: Database, day: number, work: (reader: Kysely<Schema>) => Promise<T>): Promise<T> {
  const { rows } = await sql<{ calls: number }>`select coalesce(sum(requests + errors), 0) as calls
    from usage_hour where hour >= ${day} and hour < ${day + DAY_SECONDS}`.execute(db.reader);
  return (rows[0]?.calls ?? 0) > LARGE_DAY ? db.readLongRunning(work) : work(db.reader);
}

async function findFirstId({ writer }: Database, day: number): Promise<number | undefined> {
  const row = await writer
    .selectFrom('usage_record')
    .select('id')
    .where('created_at', '>=', day)
    .where('created_at', '<', day + DAY_SECONDS)
    .where('type', 'in', ['consume', 'error'])
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

async function writeDayRollup(ctx: DayRollupContext, day: number, stopping?: AbortSignal): Promise<void> {
  const { db, changes } = ctx;
  const first = await findFirstId(db, day);
  const { rows } = await readDay(db, day, (reader) =>
    sql<UsageDayTable>`select ${day} as day, user_id, coalesce(api_key_id, 0) as api_key_id,
      coalesce(channel_id, 0) as channel_id, model, group_symbol, is_stream, address,
      count(*) filter (where type = 'consume') as requests,
      count(*) filter (where type = 'error') as errors, sum(quota) as quota,
      sum(iif(type = 'consume', prompt_tokens, 0)) as prompt_tokens,
      sum(iif(type = 'consume', completion_tokens, 0)) as completion_tokens
    from usage_record where created_at between ${day} and ${day + DAY_SECONDS - 1} and type in ('consume', 'error')
    group by 2, 3, 4, 5, 6, 7, 8`.execute(reader),
  );
  await deleteUnmarkedRollups(db, sql`day = ${day}`);
  let written = 0;
  await runInChunks(
    db.machine,
    async () => {
      const some = rows.slice(written, written + CHUNK_ROWS);
      written += some.length;
      if (some.length > 0) await db.writer.insertInto('usage_day').values(some).execute();
      return written < rows.length;
    },
    stopping,
  );
  await db.writer.insertInto('summarised_day').values({ day }).execute();
  // A deletion of records begins with the first of the day, and may have deleted its sums before they were
  // written.
  if ((await findFirstId(db, day)) === first) await changes.publish({ topic: 'usage-days' });
  else await removeDayRollups(ctx, sql`day = ${day}`);
}
