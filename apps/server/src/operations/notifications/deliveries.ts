/** Delivery state of each notification, within its retention time. */
import type { DeliveryAttemptId, NotificationTargetId } from '@switchyard/contract/ids';
import type { DeliveryAttempt, notifications } from '@switchyard/contract/operations/notifications';
import type { Page, RouteInput } from '@switchyard/contract/route';
import { chooseMailLanguage } from '../../accounts/users/users.ts';
import type { Context } from '../../context.ts';
import { readPage } from '../../db/paging.ts';
import { pluckIds, processRowsInChunks } from '../../db/process-in-chunks.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError, notFound } from '../../platform/http/app-error.ts';
import { pickFields } from '../../platform/object-fields.ts';
import { hasPublicAddress, requirePublicAddress } from '../../platform/outbound/site-public-address.ts';
import { sendToTarget } from './delivery-queue.ts';
import { findNotificationTarget, listReadableEvents, type TargetOwner } from './notification-targets.ts';
import { testText } from './notification-text.ts';
import { isWaiting, scheduleNextDelivery } from './schedule-next-delivery.ts';
import { DeliveryError } from './send-notification.ts';

type Query = RouteInput<(typeof notifications)['listDeliveries']>['query'];

const KEPT_SECONDS = 30 * 86_400;

/** Lists a user's own deliveries that the user may still read; for the site, all of them. */
export function listDeliveries(ctx: Context, owner: TargetOwner, query: Query): Promise<Page<DeliveryAttempt>> {
  let rows = ctx.db.reader
    .selectFrom('delivery')
    .leftJoin('user', 'user.id', 'delivery.user_id')
    .selectAll('delivery')
    .select('user.username');
  if (owner !== 'site')
    rows = rows.where('delivery.user_id', '=', owner.userId).where('delivery.event', 'in', listReadableEvents(owner));
  if (query.state !== undefined) rows = rows.where('delivery.state', '=', query.state);
  if (query.event !== undefined) rows = rows.where('delivery.event', '=', query.event);
  return readPage(rows, query, {
    columns: { id: 'delivery.id', created_time: 'delivery.created_time', tries: 'delivery.tries' },
    fallback: '-id',
    tieBreak: 'delivery.id',
    present: (row) => ({
      ...pickFields(row, ['event', 'title', 'type', 'state', 'tries', 'last_answer']),
      ...pickFields(row, ['created_time', 'next_try_time', 'ended_time']),
      id: row.id as DeliveryAttemptId,
      destination: row.destination_name,
      username: row.username ?? '',
    }),
  });
}

/**
 * @throws AppError `not-found`, also for another user's or an unreadable one; `conflict` unless it failed and its
 * notification channel exists
 */
export async function resendDelivery(ctx: Context, owner: TargetOwner, id: DeliveryAttemptId): Promise<void> {
  await ctx.db.writer.transaction().execute(async (trx) => {
    let query = trx
      .selectFrom('delivery')
      .leftJoin('destination', 'destination.id', 'delivery.destination_id')
      .select(['delivery.state', 'delivery.lane', 'delivery.destination_name', 'destination.enabled'])
      .where('delivery.id', '=', id);
    if (owner !== 'site')
      query = query
        .where('delivery.user_id', '=', owner.userId)
        .where('delivery.event', 'in', listReadableEvents(owner));
    const row = await query.executeTakeFirst();
    if (row === undefined) throw notFound('notification', id);
    if (row.state !== 'failed') throw new AppError('conflict', 'Only failed notifications can be sent again');
    if (row.destination_name !== '' && row.enabled !== 1)
      throw new AppError('conflict', 'The notification channel is disabled or was removed');
    await trx
      .updateTable('delivery')
      .set({ state: 'waiting', tries: 0, ended_time: null })
      .where('id', '=', id)
      .execute();
    await scheduleNextDelivery(trx, row.lane, nowSeconds(ctx.clock));
  });
  await ctx.changes.publish({ topic: 'deliveries' });
}

/** Sends a test message now, even if the notification channel is disabled. */
export async function testNotificationTarget(
  ctx: Context,
  owner: TargetOwner,
  id: NotificationTargetId,
): Promise<{ ok: boolean; answer: string }> {
  const destination = await findNotificationTarget(ctx.db.writer, owner, id);
  const user = await ctx.db.writer
    .selectFrom('user')
    .select('language')
    .where('id', '=', destination.user_id)
    .executeTakeFirst();
  const now = nowSeconds(ctx.clock);
  const outgoing = {
    ...testText(chooseMailLanguage(ctx, user?.language ?? '')),
    id: ctx.vault.fingerprint(`test ${id} ${ctx.clock.now()}`).slice(0, 32),
    event: 'test',
    link: hasPublicAddress(ctx) ? requirePublicAddress(ctx) : '',
    created_time: now,
    user_id: destination.user_id,
  } as const;
  try {
    return { ok: true, answer: await sendToTarget(ctx, destination, outgoing, new AbortController().signal) };
  } catch (error) {
    if (error instanceof DeliveryError) return { ok: false, answer: error.message };
    throw error;
  }
}

/** @returns the number of removed deliveries */
export function removeOldDeliveries({ db, clock }: Context, stopping?: AbortSignal): Promise<number> {
  const now = nowSeconds(clock);
  return processRowsInChunks(
    db,
    (trx) =>
      trx
        .selectFrom('delivery')
        .select('id')
        .where('created_time', '<=', now - KEPT_SECONDS),
    async (trx, old) => {
      const removed = trx.deleteFrom('delivery').where('id', 'in', pluckIds(old));
      const waited = await removed.where(isWaiting).returning('lane').execute();
      await removed.execute();
      for (const lane of new Set(waited.map((row) => row.lane))) await scheduleNextDelivery(trx, lane, now);
    },
    stopping,
  );
}
