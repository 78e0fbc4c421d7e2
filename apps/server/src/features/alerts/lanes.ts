/** Messages to one destination, or one account's mails, make a lane. Of those that wait in it only the first has its time. */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../db/schema.ts';

/** Written out, not as a parameter: by it the indexes of what waits are found. */
export const isWaiting = sql<boolean>`delivery.state = 'waiting'`;

/**
 * The oldest that waits is tried from now on, unless one of them is tried already.
 * @param db the transaction in which the one before ended
 * @param now UTC seconds
 */
export async function beginNext(db: Kysely<Schema>, lane: string, now: number): Promise<void> {
  const known = await db
    .selectFrom('delivery')
    .select('id')
    .where('lane', '=', lane)
    .where('next_try_time', 'is not', null)
    .executeTakeFirst();
  if (known !== undefined) return;
  await db
    .updateTable('delivery')
    .set({ next_try_time: now })
    .where('id', '=', (eb) =>
      eb.selectFrom('delivery').select('id').where('lane', '=', lane).where(isWaiting).orderBy('id').limit(1),
    )
    .execute();
}
