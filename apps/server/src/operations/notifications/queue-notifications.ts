/** Queues a notification for each target of its recipients, stored until it is delivered. */

import { mailPreferences } from '@switchyard/contract/accounts/profile';
import type { NotificationTargetType } from '@switchyard/contract/operations/notification-target-types';
import {
  eventRights,
  type NotificationEvent,
  type OwnEvent,
  type SiteEvent,
} from '@switchyard/contract/operations/notifications';
import { type Kysely, sql } from 'kysely';
import { hasRight, rightColumns } from '../../accounts/staff-roles/staff-roles.ts';
import { selectHasSecondFactor } from '../../accounts/staff-second-factor/staff-second-factor.ts';
import { chooseMailLanguage } from '../../accounts/users/users.ts';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { hasPublicAddress, requirePublicAddress } from '../../platform/outbound/site-public-address.ts';
import type { Schema } from '../../schema.ts';
import { isMailConfigured } from '../mail/mail.ts';
import { type NotificationValues, notificationText } from './notification-text.ts';
import { isWaiting } from './schedule-next-delivery.ts';

/** Maximum number of deliveries waiting for one notification channel. Further ones are dropped and logged. */
const WAITING_MAX = { user: 50, site: 500 };

/** Limit per user, because users control how many of their tokens run out, and how often. */
const KEYS_SPENT_PER_HOUR = 10;
const HOUR_SECONDS = 3_600;

const consolePaths: Readonly<Record<NotificationEvent, string>> = {
  'low-balance': '/panel/topup',
  'key-spent': '/panel/token',
  'order-paid': '/panel/topup',
  'order-failed': '/panel/topup',
  'order-refunded': '/panel/topup',
  'new-sign-in': '/panel/profile#sessions',
  'channel-disabled': '/panel/channel',
  'channel-enabled': '/panel/channel',
  'error-rate': '/panel/log',
  'spend-in-window': '/panel/analytics',
  'site-order-paid': '/panel/payment',
  'site-order-failed': '/panel/payment',
  'site-refund-failed': '/panel/payment',
  'job-failed': '/panel/system_info',
  'books-differ': '/panel/user',
  'new-version': '/panel/system_info',
};

interface Recipient {
  /** Null for mail to the account's address. */
  destinationId: number | null;
  userId: number | null;
  type: NotificationTargetType;
  name: string;
  language: string;
}

/**
 * Queues a notification to a user about their account. Never rejects.
 * @param db transaction of the event
 */
export function notifyUser<E extends OwnEvent>(
  ctx: Context,
  userId: number,
  event: E,
  values: NotificationValues[E],
  db: Kysely<Schema> = ctx.db.writer,
): Promise<void> {
  return logFailure(ctx, event, db, (trx) => queueForUser(ctx, userId, event, values, trx));
}

/**
 * Queues a notification to the site, and to subscribed staff who may read it. Never rejects.
 * @param db transaction of the event
 */
export function notifySite<E extends SiteEvent>(
  ctx: Context,
  event: E,
  values: NotificationValues[E],
  db: Kysely<Schema> = ctx.db.writer,
): Promise<void> {
  return logFailure(ctx, event, db, (trx) => queueForSite(ctx, event, values, trx));
}

/**
 * Queues a notification without failing its cause: a paid order is credited even when the notification could not be
 * stored.
 */
async function logFailure(
  ctx: Context,
  event: NotificationEvent,
  db: Kysely<Schema>,
  queue: (trx: Kysely<Schema>) => Promise<void>,
): Promise<void> {
  try {
    await (db.isTransaction ? runInSavepoint(db, queue) : db.transaction().execute(queue));
  } catch (error) {
    ctx.log.error({ err: error, event }, 'a notification could not be stored');
  }
}

/** Runs the work in a savepoint, so that its failure doesn't abort the surrounding transaction. */
async function runInSavepoint(trx: Kysely<Schema>, work: (trx: Kysely<Schema>) => Promise<void>): Promise<void> {
  await sql`savepoint alert`.execute(trx);
  try {
    await work(trx);
  } catch (error) {
    await sql`rollback to savepoint alert`.execute(trx);
    throw error;
  } finally {
    await sql`release savepoint alert`.execute(trx);
  }
}

async function queueForUser<E extends OwnEvent>(
  ctx: Context,
  userId: number,
  event: E,
  values: NotificationValues[E],
  db: Kysely<Schema>,
): Promise<void> {
  const user = await db
    .selectFrom('user')
    .select(['email', 'email_verified_time', 'language', 'notices'])
    .where('id', '=', userId)
    .where('status', '=', 'enabled')
    .where('deleted_time', 'is', null)
    .executeTakeFirst();
  if (user === undefined) return;
  if (event === 'key-spent' && (await countLastHour(ctx, db, userId, event)) >= KEYS_SPENT_PER_HOUR) {
    ctx.log.warn({ user: userId, event }, 'a notification was dropped: too many of its kind within an hour');
    return;
  }
  const { language } = user;
  const rows = await selectSubscribedTargets(db, event).where('destination.user_id', '=', userId).execute();
  const recipients: Recipient[] = rows.map(({ id, type, name }) => ({
    destinationId: id,
    userId,
    type,
    name,
    language,
  }));
  const isMailed =
    user.email_verified_time !== null &&
    user.email !== '' &&
    isMailConfigured(ctx) &&
    isSubscribed(user.notices, event);
  if (isMailed) recipients.unshift({ destinationId: null, userId, type: 'mail', name: '', language });
  await queueDeliveries(ctx, db, event, values, recipients);
}

/**
 * Returns the highest number of notifications of this kind that went to one of a user's channels within the last
 * hour.
 */
async function countLastHour(
  { clock }: Context,
  db: Kysely<Schema>,
  userId: number,
  event: NotificationEvent,
): Promise<number> {
  const most = await db
    .selectFrom('delivery')
    .select((eb) => eb.fn.countAll<number>().as('told'))
    .where('user_id', '=', userId)
    .where('event', '=', event)
    .where('created_time', '>', nowSeconds(clock) - HOUR_SECONDS)
    .groupBy('lane')
    .orderBy('told', 'desc')
    .executeTakeFirst();
  return most?.told ?? 0;
}

/** Returns whether the user wants mail for the event; a new sign-in has a separate security mail. */
function isSubscribed(stored: string, event: OwnEvent): boolean {
  const chosen = mailPreferences.parse(JSON.parse(stored));
  switch (event) {
    case 'low-balance':
      return chosen.low_balance;
    case 'key-spent':
      return chosen.key_spent;
    case 'order-paid':
      return chosen.order_paid;
    case 'order-failed':
      return chosen.order_failed;
    case 'order-refunded':
      return chosen.order_refunded;
    case 'new-sign-in':
      return false;
  }
}

async function queueForSite<E extends SiteEvent>(
  ctx: Context,
  event: E,
  values: NotificationValues[E],
  db: Kysely<Schema>,
): Promise<void> {
  const rows = await selectSubscribedTargets(db, event)
    .leftJoin('user', 'user.id', 'destination.user_id')
    .leftJoin('staff_role', 'staff_role.id', 'user.staff_role_id')
    .select(rightColumns)
    .select(selectHasSecondFactor)
    .select('user.language')
    .execute();
  const recipients = rows
    .filter((row) => row.user_id === null || hasRight(ctx, row, eventRights[event]))
    .map(({ id, user_id, type, name, language }) => ({
      destinationId: id,
      userId: user_id,
      type,
      name,
      language: language ?? '',
    }));
  await queueDeliveries(ctx, db, event, values, recipients);
}

const selectSubscribedTargets = (db: Kysely<Schema>, event: NotificationEvent) =>
  db
    .selectFrom('destination')
    .select(['destination.id', 'destination.user_id', 'destination.type', 'destination.name'])
    .where('destination.enabled', '=', 1)
    .where(sql<boolean>`exists (select 1 from json_each(destination.events) as chosen where chosen.value = ${event})`)
    .orderBy('destination.id');

async function queueDeliveries<E extends NotificationEvent>(
  ctx: Context,
  db: Kysely<Schema>,
  event: E,
  values: NotificationValues[E],
  recipients: readonly Recipient[],
): Promise<void> {
  if (recipients.length === 0) return;
  const now = nowSeconds(ctx.clock);
  const link = hasPublicAddress(ctx) ? `${requirePublicAddress(ctx)}${consolePaths[event]}` : '';
  for (const { destinationId, userId, type, name, language } of recipients) {
    const lane = destinationId === null ? `mail:${userId}` : `destination:${destinationId}`;
    if ((await countWaiting(db, lane)) >= WAITING_MAX[userId === null ? 'site' : 'user']) {
      ctx.log.warn({ lane, event }, 'a notification was dropped: too many wait for the same notification channel');
      continue;
    }
    const { title, text } = notificationText(event, values, chooseMailLanguage(ctx, language));
    await db
      .insertInto('delivery')
      .values({
        lane,
        destination_id: destinationId,
        user_id: userId,
        event,
        type,
        destination_name: name,
        title,
        text,
        link,
        state: 'waiting',
        tries: 0,
        created_time: now,
        next_try_time: sql<number | null>`case when exists (select 1 from delivery
          where lane = ${lane} and state = 'waiting') then null else cast(${now} as bigint) end`,
        ended_time: null,
        last_answer: '',
      })
      .execute();
  }
  await ctx.changes.publish({ topic: 'deliveries' });
}

async function countWaiting(db: Kysely<Schema>, lane: string): Promise<number> {
  const { waiting } = await db
    .selectFrom('delivery')
    .select((eb) => eb.fn.countAll<number>().as('waiting'))
    .where('lane', '=', lane)
    .where(isWaiting)
    .executeTakeFirstOrThrow();
  return waiting;
}
