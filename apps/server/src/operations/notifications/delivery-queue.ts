/**
 * Delivers notifications, which wait in the database until they are accepted. Each is sent at least once: when a
 * response is lost, or the process dies before it is recorded, the message is sent again under the same id. Messages
 * to one notification channel are sent in order.
 */

import type { NotificationTargetType } from '@switchyard/contract/operations/notification-target-types';
import { eventRights } from '@switchyard/contract/operations/notifications';
import { type Selectable, sql } from 'kysely';
import { hasUserRight } from '../../accounts/staff-roles/staff-roles.ts';
import { chooseMailLanguage } from '../../accounts/users/users.ts';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError } from '../../platform/http/app-error.ts';
import { claimFirst, startTableQueue } from '../../platform/table-queue.ts';
import { MailError, sendMail } from '../mail/mail.ts';
import { disableTarget, type NotificationTargetRow } from './notification-targets.ts';
import { isWaiting, rescheduleStuckDeliveries, scheduleNextDelivery } from './schedule-next-delivery.ts';
import { DeliveryError, type NotificationMessage, sendNotification } from './send-notification.ts';
import type { DeliveryTable } from './table.ts';
import { openConfig } from './target-config.ts';

type DeliveryRow = Selectable<DeliveryTable>;
/** Message and its recipient: a notification channel, or the address of an account. */
type OutgoingNotification = Pick<DeliveryRow, 'title' | 'text' | 'link' | 'created_time' | 'user_id'> & {
  id: string;
  event: string;
};

const CONCURRENT_DELIVERIES = 20;
/**
 * Part of `CONCURRENT_DELIVERIES` that one user may occupy, so that a user whose notification channels hang doesn't
 * delay others.
 */
const CONCURRENT_PER_USER = 2;
/** Seconds between the starts of attempts; each exceeds the duration of an attempt. */
const RETRY_DELAYS = [30, 120, 600, 3_600, 21_600, 43_200, 86_400] as const;
const MAX_RETRY_DELAY = 86_400;
/** Time without an accepted message after which a notification channel is disabled. */
const FAILING_MAX_SECONDS = 3 * 86_400;
const ID_LENGTH = 32;

/** Starts the delivery queue. Returns a function that stops it. */
export function startDeliveryQueue(ctx: Context): () => Promise<void> {
  return startTableQueue<DeliveryRow>(ctx, {
    topic: 'deliveries',
    slots: CONCURRENT_DELIVERIES,
    laneOf: ({ lane }) => lane,
    claim: (lanes, running) => claimNextDelivery(ctx, lanes, running),
    attempt: (delivery, stop) => attemptDelivery(ctx, delivery, stop),
  });
}

/** Claims the first due delivery of a queue, the site's before users'. */
async function claimNextDelivery(
  ctx: Context,
  lanes: readonly string[],
  running: readonly DeliveryRow[],
): Promise<DeliveryRow | undefined> {
  const now = nowSeconds(ctx.clock);
  const found = await claimFirst(
    () =>
      ctx.db.writer
        .selectFrom('delivery')
        .select(['id', 'tries', 'next_try_time'])
        .where('next_try_time', '<=', now)
        .where('lane', 'not in', lanes)
        .where((eb) => eb.or([eb('user_id', 'is', null), eb('user_id', 'not in', findBusyUsers(running))]))
        .orderBy(sql`user_id is not null`)
        .orderBy('next_try_time')
        .orderBy('id')
        .limit(1)
        .executeTakeFirst(),
    ({ id, tries, next_try_time }) =>
      ctx.db.writer
        .updateTable('delivery')
        .set({ tries: tries + 1, next_try_time: now + (RETRY_DELAYS[tries] ?? MAX_RETRY_DELAY) })
        .where('id', '=', id)
        .where('next_try_time', '=', next_try_time)
        .returningAll()
        .executeTakeFirst(),
  );
  if (found === undefined && ctx.leases.isShared) await rescheduleStuckDeliveries(ctx.db.writer, now);
  return found;
}

/** Returns the users who have reached their limit of concurrent attempts. */
function findBusyUsers(running: readonly DeliveryRow[]): number[] {
  const users = running.flatMap(({ user_id }) => user_id ?? []);
  return users.filter((user) => users.filter((other) => other === user).length >= CONCURRENT_PER_USER);
}

async function attemptDelivery(ctx: Context, delivery: DeliveryRow, stop: AbortSignal): Promise<void> {
  const { user_id, event } = delivery;
  if (user_id !== null && !(await hasUserRight(ctx, ctx.db.writer, user_id, eventRights[event]))) {
    await finishDelivery(ctx, delivery, 'failed', 'The account is disabled or may no longer receive this notification');
    return;
  }
  const destination = await findDeliveryTarget(ctx, delivery);
  let answer: string;
  try {
    const outgoing = { ...delivery, id: messageId(ctx, delivery) };
    answer = await sendToTarget(ctx, destination, outgoing, stop);
  } catch (error) {
    if (stop.aborted) await rescheduleAfterRestart(ctx, delivery);
    else await recordDeliveryFailure(ctx, delivery, error);
    return;
  }
  await finishDelivery(ctx, delivery, 'delivered', answer);
  if (destination !== undefined && destination.failing_since !== null)
    await ctx.db.writer
      .updateTable('destination')
      .set({ failing_since: null })
      .where('id', '=', destination.id)
      .execute();
}

/** Returns the same id for every attempt, unique across installations. */
const messageId = (ctx: Context, { id }: DeliveryRow): string =>
  ctx.vault.fingerprint(`delivery ${id}`).slice(0, ID_LENGTH);

async function findDeliveryTarget(
  ctx: Context,
  { destination_id }: DeliveryRow,
): Promise<NotificationTargetRow | undefined> {
  if (destination_id === null) return undefined;
  return ctx.db.writer.selectFrom('destination').selectAll().where('id', '=', destination_id).executeTakeFirst();
}

/**
 * @param destination undefined for the address of the account
 * @returns the receiver's response
 * @throws DeliveryError when it was not accepted
 */
export async function sendToTarget(
  ctx: Context,
  destination: NotificationTargetRow | undefined,
  outgoing: OutgoingNotification,
  stop: AbortSignal,
): Promise<string> {
  if (destination === undefined) return sendByMail(ctx, await findAccountEmail(ctx, outgoing), outgoing, stop);
  const config = openConfig(ctx.vault, destination);
  if (destination.type === 'mail') return sendByMail(ctx, config['to'] ?? '', outgoing, stop);
  const { event, title, text, link } = outgoing;
  const message: NotificationMessage = {
    id: outgoing.id,
    event,
    at: outgoing.created_time,
    site: ctx.settings.systemName,
    title,
    text,
    link,
  };
  const isOwn = destination.user_id !== null;
  return sendNotification(destination.type, await completeTelegramConfig(ctx, destination, config), message, {
    // Only the operator may send to private addresses.
    fetch: isOwn ? ctx.outbound.public.fetch : ctx.outbound.fetch,
    isOwn,
    now: ctx.clock.now(),
    stop,
  });
}

/** Completes a Telegram configuration with the site's bot, and for a user with the currently bound account. */
async function completeTelegramConfig(
  ctx: Context,
  { type, user_id }: { type: NotificationTargetType; user_id: number | null },
  config: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  if (type !== 'telegram') return config;
  const token = ctx.settings.telegramBotToken;
  if (user_id === null) return { ...config, token };
  const bound = await ctx.db.writer
    .selectFrom('identity')
    .select('subject')
    .where('user_id', '=', user_id)
    .where('provider', '=', 'telegram')
    .executeTakeFirst();
  return { token, chat: bound?.subject ?? '' };
}

async function findAccountEmail(ctx: Context, { user_id }: OutgoingNotification): Promise<string> {
  const user = await ctx.db.writer
    .selectFrom('user')
    .select('email')
    .where('id', '=', user_id)
    .where('email_verified_time', 'is not', null)
    .where('deleted_time', 'is', null)
    .executeTakeFirst();
  return user?.email ?? '';
}

async function sendByMail(
  ctx: Context,
  to: string,
  { id, title, text, link, user_id }: OutgoingNotification,
  stop: AbortSignal,
): Promise<string> {
  if (to === '') throw new DeliveryError('The account has no email address', 'refused');
  const user =
    user_id === null
      ? undefined
      : await ctx.db.writer.selectFrom('user').select('language').where('id', '=', user_id).executeTakeFirst();
  const language = chooseMailLanguage(ctx, user?.language ?? '');
  try {
    return await sendMail(ctx, { id, to, template: 'alert', language, values: { title, text, link } }, stop);
  } catch (error) {
    if (error instanceof MailError) throw new DeliveryError(error.message, error.permanent ? 'refused' : 'later');
    throw error;
  }
}

async function finishDelivery(
  ctx: Context,
  { id, lane }: DeliveryRow,
  state: 'delivered' | 'failed',
  answer: string,
): Promise<void> {
  const now = nowSeconds(ctx.clock);
  await ctx.db.writer.transaction().execute(async (trx) => {
    await trx
      .updateTable('delivery')
      .set({ state, next_try_time: null, ended_time: now, last_answer: answer })
      .where('id', '=', id)
      .where(isWaiting)
      .execute();
    await scheduleNextDelivery(trx, lane, now);
  });
}

async function rescheduleAfterRestart(ctx: Context, { id }: DeliveryRow): Promise<void> {
  await ctx.db.writer
    .updateTable('delivery')
    .set({ next_try_time: nowSeconds(ctx.clock) })
    .where('id', '=', id)
    .where('next_try_time', 'is not', null)
    .execute();
}

async function recordDeliveryFailure(ctx: Context, delivery: DeliveryRow, error: unknown): Promise<void> {
  const { id, event, type, destination_id, tries } = delivery;
  const failure = toDeliveryFailure(error);
  const { kind, message, retryAfterSeconds } = failure;
  const isOver = kind !== 'later' || tries > RETRY_DELAYS.length;
  ctx.log.warn(
    {
      delivery: id,
      event,
      type,
      reason: message,
      isOver,
      ...(failure === error || error instanceof AppError ? {} : { err: error }),
    },
    'a notification was not delivered',
  );
  if (isOver) await finishDelivery(ctx, delivery, 'failed', message);
  else
    await ctx.db.writer
      .updateTable('delivery')
      .set({
        last_answer: message,
        next_try_time: Math.max(
          delivery.next_try_time ?? 0,
          nowSeconds(ctx.clock) + Math.min(retryAfterSeconds, MAX_RETRY_DELAY),
        ),
      })
      .where('id', '=', id)
      // The notification channel, and with it this delivery, may have been disabled meanwhile.
      .where('next_try_time', 'is not', null)
      .execute();
  if (destination_id !== null) await recordTargetFailure(ctx, destination_id, failure);
}

function toDeliveryFailure(error: unknown): DeliveryError {
  if (error instanceof DeliveryError) return error;
  return new DeliveryError(error instanceof AppError ? error.message : 'The notification could not be sent', 'later');
}

async function recordTargetFailure(ctx: Context, id: number, { kind, message }: DeliveryError): Promise<void> {
  const now = nowSeconds(ctx.clock);
  const row = await ctx.db.writer
    .updateTable('destination')
    .set({ failing_since: sql<number>`coalesce(failing_since, ${now})` })
    .where('id', '=', id)
    .returning('failing_since')
    .executeTakeFirst();
  const since = row?.failing_since ?? now;
  if (kind === 'gone' || now - since >= FAILING_MAX_SECONDS) await disableTarget(ctx, id, message);
}
