import { type RawBuilder, sql } from 'kysely';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import type { Schema } from '../../schema.ts';

interface Wait {
  table: keyof Schema;
  /** Column with the UTC second at which a row is due. */
  column: string;
  /** Seconds that exceed the longest wait. */
  most: number;
  /** Condition of the partial index on waiting rows. Without it, the database would scan the whole table. */
  isWaiting?: RawBuilder<boolean>;
}

const waitColumns: readonly Wait[] = [
  {
    table: 'task',
    column: 'next_look_at',
    most: 3_600,
    // Local tasks, such as background responses, are never due: no vendor can be polled about them.
    isWaiting: sql`ended_at is null and channel_id <> 0`,
  },
  { table: 'task', column: 'notify_at', most: 90_000 },
  { table: 'stored_work', column: 'next_try_at', most: 10_800, isWaiting: sql`state = 'waiting'` },
  { table: 'payment_order', column: 'next_ask_time', most: 90_000 },
  { table: 'order_refund', column: 'next_ask_time', most: 90_000 },
  { table: 'mail', column: 'next_try_time', most: 25_200, isWaiting: sql`state = 'waiting'` },
  { table: 'delivery', column: 'next_try_time', most: 90_000 },
];

/**
 * Makes rows due whose time is further away than their queue ever waits: they were written while the clock was ahead,
 * and would wait until that time.
 */
export async function resetFutureDueTimes({ db, clock, log }: Context): Promise<void> {
  const now = nowSeconds(clock);
  for (const { table, column, most, isWaiting = sql`true` } of waitColumns) {
    const { numAffectedRows = 0n } = await sql`
      update ${sql.table(table)} set ${sql.ref(column)} = ${now}
      where ${isWaiting} and ${sql.ref(column)} > ${now + most}
    `.execute(db.writer);
    if (numAffectedRows > 0n)
      log.warn({ table, rows: Number(numAffectedRows) }, 'made rows due that were written while the clock was ahead');
  }
}
