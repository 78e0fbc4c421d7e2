/** Messages to one destination, or one account's mails, make a lane. Of those that wait in it only the first has its time. */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../schema.ts';

/** Written out, not as a parameter: by it the indexes of what waits are found. */
export const isWaiting = sql<boolean>`delivery.state = 'waiting'`;

/**
 * The oldest that waits is tried from now on, unless one of them is tried already.
 * @param db the transaction in which the one before ended
 * @param now UTC seconds
 */
export async function scheduleNextDelivery(db: Kysely<Schema>, lane: string, now: number): Promise<void> {
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

/**
 * Schedules forgotten deliveries. When transactions run at once, the one that adds to a queue may see its first
 * delivery as not ended, while the one that ends it doesn't see what is added. The oldest of such a queue is due from
 * now on.
 */
export async function rescheduleStuckDeliveries(db: Kysely<Schema>, now: number): Promise<void> {
  await db
    .updateTable('delivery')
    .set({ next_try_time: now })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('delivery')
        .select((of) => of.fn.min('id').as('id'))
        .where(isWaiting)
        .groupBy('lane')
        .having((of) => of(of.fn.count('next_try_time'), '=', 0)),
    )
    .where(isWaiting)
    .where('next_try_time', 'is', null)
    .execute();
}
