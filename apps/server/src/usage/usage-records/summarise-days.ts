/**
 * Adds up days that are over, so that any filter's totals and matches are known without reading the records. A relayed
 * call pays nothing for it; until a day is summarised, its records themselves are read.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Context } from '../../context.ts';
import type { Database } from '../../db/db.ts';
import { inPieces, isOneOf, PIECE_ROWS, rowsInPieces } from '../../db/in-pieces.ts';
import { nowSeconds } from '../../platform/clock.ts';
import type { Schema } from '../../schema.ts';
import { firstCall } from './record-queries.ts';
import type { UsageDayTable } from './table.ts';

export const DAY = 86_400;
/** Records are written when a call ends, so none is late by more than what waits for a disk. */
export const GRACE_SECONDS = 600;
/** Calls. */
const LARGE_DAY = 1_000_000;
const KEY_OF_SUMS = [
  'day',
  'user_id',
  'api_key_id',
  'channel_id',
  'model',
  'group_symbol',
  'is_stream',
  'address',
] as const satisfies readonly (keyof UsageDayTable)[];

type Summing = Pick<Context, 'db' | 'changes'>;

/** The newest days first; days that were summarised and lost records since are done again. */
export async function summariseDays(
  ctx: Summing & Pick<Context, 'clock'>,
  stopping?: AbortSignal,
): Promise<void> {
  const open = dayOf(nowSeconds(ctx.clock) - GRACE_SECONDS);
  // They were summarised by a clock that was ahead: calls have come since, or are to come.
  await forgetDays(ctx, sql`day >= ${open}`);
  const first = (await firstCall.execute(ctx.db.reader)).rows[0];
  if (first === undefined) return;
  const rows = await ctx.db.writer.selectFrom('summarised_day').select('day').execute();
  const done = new Set(rows.map(({ day }) => day));
  const oldest = dayOf(first.created_at);
  for (let day = open - DAY; day >= oldest && stopping?.aborted !== true; day -= DAY)
    if (!done.has(day)) await summarise(ctx, day, stopping);
}

/** Deletes the sums of the days before, so that records can be removed from them. */
export const forgetDaysBefore = (ctx: Summing, before: number): Promise<void> =>
  forgetDays(ctx, sql`day < ${before}`);

async function forgetDays({ db, changes }: Summing, isOfThem: RawBuilder<boolean>): Promise<void> {
  const unmark = db.writer.deleteFrom('summarised_day').where(isOfThem);
  const { numDeletedRows } = await unmark.executeTakeFirstOrThrow();
  if ((await removeSums(db, isOfThem)) > 0) await unmark.execute();
  if (numDeletedRows > 0n) await changes.publish({ topic: 'usage-days' });
}

/** Deletes the sums of days that aren't marked as summarised; one that is summarised meanwhile has to be unmarked. */
function removeSums(db: Database, isOfThem: RawBuilder<boolean>): Promise<number> {
  return rowsInPieces(
    db,
    (trx) => trx.selectFrom('usage_day').select(KEY_OF_SUMS).where(isOfThem),
    (trx, sums) => trx.deleteFrom('usage_day').where(isOneOf(KEY_OF_SUMS, sums)).execute(),
  );
}

export const dayOf = (time: number): number => time - (time % DAY);

/** A day of a large site takes minutes, as no list may; others are not worth a reader of their own. */
export async function readDay<T>(
  db: Database,
  day: number,
  work: (reader: Kysely<Schema>) => Promise<T>,
): Promise<T> {
  const { rows } = await sql<{ calls: number }>`select coalesce(sum(requests + errors), 0) as calls
    from usage_hour where hour >= ${day} and hour < ${day + DAY}`.execute(db.reader);
  return (rows[0]?.calls ?? 0) > LARGE_DAY ? db.readAtLength(work) : work(db.reader);
}

async function firstIdOf({ writer }: Database, day: number): Promise<number | undefined> {
  const row = await writer
    .selectFrom('usage_record')
    .select('id')
    .where('created_at', '>=', day)
    .where('created_at', '<', day + DAY)
    .where('type', 'in', ['consume', 'error'])
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

async function summarise(ctx: Summing, day: number, stopping?: AbortSignal): Promise<void> {
  const { db, changes } = ctx;
  const first = await firstIdOf(db, day);
  const { rows } = await readDay(db, day, (reader) =>
    sql<UsageDayTable>`select ${day} as day, user_id, coalesce(api_key_id, 0) as api_key_id,
      coalesce(channel_id, 0) as channel_id, model, group_symbol, is_stream, address,
      count(*) filter (where type = 'consume') as requests,
      count(*) filter (where type = 'error') as errors, sum(quota) as quota,
      sum(iif(type = 'consume', prompt_tokens, 0)) as prompt_tokens,
      sum(iif(type = 'consume', completion_tokens, 0)) as completion_tokens
    from usage_record where created_at between ${day} and ${day + DAY - 1} and type in ('consume', 'error')
    group by 2, 3, 4, 5, 6, 7, 8`.execute(reader),
  );
  await removeSums(db, sql`day = ${day}`);
  let written = 0;
  await inPieces(
    db.machine,
    async () => {
      const some = rows.slice(written, written + PIECE_ROWS);
      written += some.length;
      if (some.length > 0) await db.writer.insertInto('usage_day').values(some).execute();
      return written < rows.length;
    },
    stopping,
  );
  await db.writer.insertInto('summarised_day').values({ day }).execute();
  // Whoever takes records out of a day begins with the first, and may have forgotten its sums before they were written.
  if ((await firstIdOf(db, day)) === first) await changes.publish({ topic: 'usage-days' });
  else await forgetDays(ctx, sql`day = ${day}`);
}
