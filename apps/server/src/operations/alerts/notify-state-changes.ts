/** Remembers which states were told, so that each is told when it begins, and not as long as it lasts. */
import type { NotificationEvent } from '@switchyard/contract/operations/alerts';
import type { Transaction } from 'kysely';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import type { Schema } from '../../schema.ts';
import type { AlertMarkTable } from './table.ts';

/** Whole systems may fail at once: the rest is told at the next look. */
const PER_RUN = 100;

/**
 * @param standing subjects of which it holds now
 * @param quietSeconds how long it must not have held before it is told again
 * @param tell of one that is new, in the transaction that remembers it
 */
export async function notifyStateChanges(
  ctx: Context,
  event: NotificationEvent,
  standing: ReadonlySet<string>,
  quietSeconds: number,
  tell: (subject: string, trx: Transaction<Schema>) => Promise<void>,
): Promise<void> {
  const now = nowSeconds(ctx.clock);
  await ctx.db.writer.transaction().execute(async (trx) => {
    const told = await trx
      .selectFrom('alert_mark')
      .select(['subject', 'seen_time'])
      .where('event', '=', event)
      .execute();
    for (const { subject, seen_time } of told) {
      if (standing.has(subject)) await refreshSeenTime(trx, { event, subject, seen_time }, quietSeconds, now);
      else if (seen_time + quietSeconds <= now)
        await trx.deleteFrom('alert_mark').where('event', '=', event).where('subject', '=', subject).execute();
    }
    const known = new Set(told.map(({ subject }) => subject));
    const news = [...standing].filter((subject) => !known.has(subject)).slice(0, PER_RUN);
    for (const subject of news) {
      await trx.insertInto('alert_mark').values({ event, subject, seen_time: now }).execute();
      await tell(subject, trx);
    }
  });
}

/** When it was seen last matters only where it must stay away for a while. */
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
