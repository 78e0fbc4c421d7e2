import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';

/** Columns with the UTC second at which a row is due, and a time that none of them is away: more than the longest wait. */
const waits = [
  ['task', 'next_look_at', 3_600],
  ['task', 'notify_at', 90_000],
  ['stored_work', 'next_try_at', 10_800],
  ['payment_order', 'next_ask_time', 90_000],
  ['order_refund', 'next_ask_time', 90_000],
  ['mail', 'next_try_time', 25_200],
  ['delivery', 'next_try_time', 90_000],
] as const;

/**
 * Makes rows due whose time is further away than their queue ever waits: they were written while the clock was ahead, and
 * would wait until the clock shows that time again.
 */
export async function limitWaits({ db, clock, log }: Context): Promise<void> {
  const now = nowSeconds(clock);
  for (const [table, column, longest] of waits) {
    const { numAffectedRows = 0n } = await sql`
      update ${sql.table(table)} set ${sql.ref(column)} = ${now} where ${sql.ref(column)} > ${now + longest}
    `.execute(db.writer);
    if (numAffectedRows > 0n)
      log.warn(
        { table, rows: Number(numAffectedRows) },
        'made rows due that were written while the clock was ahead',
      );
  }
}
