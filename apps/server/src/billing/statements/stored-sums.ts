/** Months that are over are written down, a few users at a time: whoever breaks off goes on where it was. */
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import type { Database } from '../../db/db.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { type MonthSums, monthSums, readMonthSums } from './month-sums.ts';
import type { Month } from './months.ts';

/** Users between two writes. */
const BATCH = 50;

export interface StoredSums {
  sums: MonthSums;
  generated_at: number;
}

/** Undefined when there are none, and when the ledger has got an entry of that month since. */
export async function readStoredSums(
  db: Database,
  userId: number,
  { date, to }: Month,
): Promise<StoredSums | undefined> {
  const { rows } = await sql<{ content: string; generated_time: number; closing: number | null }>`
    select content, generated_time,
      (select sum(user_amount) from ledger_entry where user_id = ${userId} and created_at < ${to}) as closing
    from statement where user_id = ${userId} and month = ${date}`.execute(db.reader);
  const [row] = rows;
  if (row === undefined) return undefined;
  const sums = monthSums.parse(JSON.parse(row.content));
  return sums.closing === (row.closing ?? 0) ? { sums, generated_at: row.generated_time } : undefined;
}

/**
 * Stores the sums of every living user whose balance moved in a month that is over.
 * @param which `missing` keeps existing statements; `all` computes them again
 */
export async function storeMonth(
  ctx: Pick<Context, 'db' | 'clock'>,
  month: Month,
  which: 'missing' | 'all',
): Promise<void> {
  let last = 0;
  for (;;) {
    const users = await nextUsers(ctx.db, month, which, last);
    const rows = [];
    for (const id of users)
      rows.push({
        user_id: id,
        month: month.date,
        content: JSON.stringify(await readMonthSums(ctx.db, id, month)),
        generated_time: nowSeconds(ctx.clock),
      });
    last = users.at(-1) ?? last;
    if (rows.length > 0)
      await ctx.db.writer
        .insertInto('statement')
        .values(rows)
        .onConflict((conflict) =>
          conflict.columns(['user_id', 'month']).doUpdateSet((eb) => ({
            content: eb.ref('excluded.content'),
            generated_time: eb.ref('excluded.generated_time'),
          })),
        )
        .execute();
    if (users.length < BATCH) return;
  }
}

async function nextUsers(
  db: Database,
  { date, from, to }: Month,
  which: 'missing' | 'all',
  last: number,
): Promise<number[]> {
  const wanted =
    which === 'all'
      ? sql`true`
      : sql`not exists (select 1 from statement s where s.user_id = u.id and s.month = ${date})`;
  const { rows } = await sql<{ id: number }>`select u.id from "user" u
    where u.id > ${last} and u.deleted_time is null and ${wanted} and exists (
      select 1 from ledger_entry e
      where e.user_id = u.id and e.created_at >= ${from} and e.created_at < ${to} and e.kind <> 'key-limit'
    ) order by u.id limit ${BATCH}`.execute(db.reader);
  return rows.map(({ id }) => id);
}
