/**
 * Queues of deliveries: one per notification channel, or per account for mail. Only the first waiting delivery of a
 * queue has a due time.
 */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../schema.ts';

/** A literal instead of a parameter, so that the partial indexes are used. */
export const isWaiting = sql<boolean>`delivery.state = 'waiting'`;

/**
 * Makes the oldest waiting delivery due now, unless one is already scheduled.
 * @param db transaction that ended the previous one
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
 * Schedules stuck deliveries. Of concurrent transactions, the one that adds to a queue may see its first delivery as
 * not ended, while the one that ends it doesn't see the addition. The oldest delivery of such a queue becomes due
 * now.
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
