/** Records the conditions that were already notified, so that each is notified once when it begins. */
import type { NotificationEvent } from '@switchyard/contract/operations/alerts';
import type { Transaction } from 'kysely';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import type { Schema } from '../../schema.ts';
import type { AlertMarkTable } from './table.ts';

/** Limit per run, because many systems may fail at once; the rest is notified in the next run. */
const PER_RUN = 100;

/**
 * @param standing subjects for which the condition holds now
 * @param quietSeconds time for which it must not have held before it is notified again
 * @param notify notifies of a new subject, within the transaction that records it
 */
export async function notifyStateChanges(
  ctx: Context,
  event: NotificationEvent,
  standing: ReadonlySet<string>,
  quietSeconds: number,
  notify: (subject: string, trx: Transaction<Schema>) => Promise<void>,
): Promise<void> {
  const now = nowSeconds(ctx.clock);
  await ctx.db.writer.transaction().execute(async (trx) => {
    const notified = await trx
      .selectFrom('alert_mark')
      .select(['subject', 'seen_time'])
      .where('event', '=', event)
      .execute();
    for (const { subject, seen_time } of notified) {
      if (standing.has(subject)) await refreshSeenTime(trx, { event, subject, seen_time }, quietSeconds, now);
      else if (seen_time + quietSeconds <= now)
        await trx.deleteFrom('alert_mark').where('event', '=', event).where('subject', '=', subject).execute();
    }
    const known = new Set(notified.map(({ subject }) => subject));
    const news = [...standing].filter((subject) => !known.has(subject)).slice(0, PER_RUN);
    for (const subject of news) {
      await trx.insertInto('alert_mark').values({ event, subject, seen_time: now }).execute();
      await notify(subject, trx);
    }
  });
}

/** Updates the time of the last observation, which only matters with a quiet time. */
async function refreshSeenTime(
  trx: Transaction<Schema>,
  { event, subject, seen_time }: AlertMarkTable,
  quietSeconds: number,
  now: number,
): Promise<void> {
  if (quietSeconds === 0 || seen_time === now) return;
  await trx
    .updateTable('alert_mark')
    .set({ seen_time: now })
    .where('event', '=', event)
    .where('subject', '=', subject)
    .execute();
}
