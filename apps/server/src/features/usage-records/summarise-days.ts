/**
 * Adds up days that are over, so that any filter's totals and matches are known without reading the records. A relayed
 * call pays nothing for it; until a day is summarised, its records themselves are read.
 */
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { firstCall } from './record-queries.ts';
import type { UsageDayTable } from './table.ts';

export const DAY = 86_400;
/** Records are written when a call ends, so none is late by more than what waits for a disk. */
export const GRACE_SECONDS = 600;
/** Rows in one statement; requests go on between two. */
const CHUNK = 500;

type Summing = Pick<Context, 'db' | 'changes'>;

/** The newest days first; days that were summarised and lost records since are done again. */
export async function summariseDays(ctx: Summing & Pick<Context, 'clock'>): Promise<void> {
  const open = dayOf(nowSeconds(ctx.clock) - GRACE_SECONDS);
  await forgetOpenDays(ctx, open);
  const first = (await firstCall.execute(ctx.db.reader)).rows[0];
  if (first === undefined) return;
  const rows = await ctx.db.writer.selectFrom('summarised_day').select('day').execute();
  const done = new Set(rows.map(({ day }) => day));
  const oldest = dayOf(first.created_at);
  for (let day = open - DAY; day >= oldest; day -= DAY) if (!done.has(day)) await summarise(ctx, day);
}

/** For records that are taken out of a day. */
export async function forgetDaysBefore({ db, changes }: Summing, before: number): Promise<void> {
  await db.writer.deleteFrom('summarised_day').where('day', '<', before).execute();
  await db.writer.deleteFrom('usage_day').where('day', '<', before).execute();
  await changes.publish({ topic: 'usage-days' });
}

/** They were summarised by a clock that was ahead: calls have come since, or are to come. */
async function forgetOpenDays({ db, changes }: Summing, from: number): Promise<void> {
  const { numDeletedRows } = await db.writer
    .deleteFrom('summarised_day')
    .where('day', '>=', from)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) return;
  await db.writer.deleteFrom('usage_day').where('day', '>=', from).execute();
  await changes.publish({ topic: 'usage-days' });
}

export const dayOf = (time: number): number => time - (time % DAY);

async function summarise({ db, changes }: Summing, day: number): Promise<void> {
  const { rows } =
    await sql<UsageDayTable>`select ${day} as day, user_id, coalesce(api_key_id, 0) as api_key_id,
      coalesce(channel_id, 0) as channel_id, model, group_symbol, is_stream, address,
      count(*) filter (where type = 'consume') as requests,
      count(*) filter (where type = 'error') as errors, sum(quota) as quota,
      sum(iif(type = 'consume', prompt_tokens, 0)) as prompt_tokens,
      sum(iif(type = 'consume', completion_tokens, 0)) as completion_tokens
    from usage_record where created_at between ${day} and ${day + DAY - 1} and type in ('consume', 'error')
    group by 2, 3, 4, 5, 6, 7, 8`.execute(db.reader);
  await db.writer.deleteFrom('usage_day').where('day', '=', day).execute();
  for (let at = 0; at < rows.length; at += CHUNK)
    await db.writer
      .insertInto('usage_day')
      .values(rows.slice(at, at + CHUNK))
      .execute();
  await db.writer.insertInto('summarised_day').values({ day }).execute();
  await changes.publish({ topic: 'usage-days' });
}
