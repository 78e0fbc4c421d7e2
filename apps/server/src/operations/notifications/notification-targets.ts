/** Notification channels besides the mail address of an account. Each belongs to a user or to the site. */
import type { NotificationTargetId } from '@switchyard/contract/ids';
import { notificationTargetTypeInfo } from '@switchyard/contract/operations/notification-target-types';
import {
  eventRights,
  type NotificationEvent,
  type NotificationTarget,
  type NotificationTargetForm,
  notificationEvent,
  type notificationTargetUpdate,
  ownEvents,
  siteEvents,
} from '@switchyard/contract/operations/notifications';
import type { Kysely, Selectable } from 'kysely';
import type { z } from 'zod';
import type { Context } from '../../context.ts';
import { pluckIds, processRowsInChunks } from '../../db/process-in-chunks.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError, fieldError, notFound } from '../../platform/http/app-error.ts';
import { type Caller, hasAccess } from '../../platform/http/caller.ts';
import { pickFields } from '../../platform/object-fields.ts';
import type { Schema } from '../../schema.ts';
import { isWaiting, scheduleNextDelivery } from './schedule-next-delivery.ts';
import type { DestinationTable } from './table.ts';
import { buildHints, mergeConfig, openConfig, sealConfig } from './target-config.ts';

export type NotificationTargetRow = Selectable<DestinationTable>;
type Update = z.output<typeof notificationTargetUpdate>;

/** Owner of notification channels: a user, or the site. */
export type TargetOwner = Pick<Caller, 'userId' | 'rights' | 'lacksSecondFactor'> | 'site';

const TARGETS_PER_USER_MAX = 20;

const getOwnerId = (owner: TargetOwner): number | null => (owner === 'site' ? null : owner.userId);

const selectOwnedTargets = (db: Kysely<Schema>, owner: TargetOwner) =>
  db.selectFrom('destination').selectAll().where('user_id', 'is not distinct from', getOwnerId(owner));

export async function listNotificationTargets(ctx: Context, owner: TargetOwner): Promise<NotificationTarget[]> {
  const rows = await selectOwnedTargets(ctx.db.writer, owner).orderBy('id').execute();
  return rows.map((row) => present(ctx, row));
}

/** @throws AppError that names a field, or `conflict` for too many */
export async function createNotificationTarget(
  ctx: Context,
  owner: TargetOwner,
  { type, name, events, enabled, config }: NotificationTargetForm,
): Promise<NotificationTarget> {
  const isOwn = owner !== 'site';
  if (isOwn && !notificationTargetTypeInfo[type].own)
    throw fieldError('type', 'not-allowed', 'Email notifications always go to the address of the account');
  checkEvents(owner, events);
  const merged = mergeConfig(type, isOwn, {}, config);
  return ctx.db.writer.transaction().execute(async (trx) => {
    const existing = await selectOwnedTargets(trx, owner).execute();
    if (existing.length >= TARGETS_PER_USER_MAX)
      throw new AppError(
        'conflict',
        `You have reached the limit of ${TARGETS_PER_USER_MAX} notification channels. Remove one first.`,
      );
    const { id } = await trx
      .insertInto('destination')
      .values({
        user_id: getOwnerId(owner),
        type,
        name,
        config_sealed: '',
        events: JSON.stringify([...new Set(events)]),
        enabled: Number(enabled),
        off_reason: '',
        failing_since: null,
        created_time: nowSeconds(ctx.clock),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const row = await trx
      .updateTable('destination')
      .set({ config_sealed: sealConfig(ctx.vault, id, merged) })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    return present(ctx, row);
  });
}

/**
 * Changes a notification channel. The caller must be able to read its events, stored ones too: an access token without
 * the right could otherwise redirect them. Disabling it is always possible.
 * @throws AppError `not-found`, also for another user's, or that names a field
 */
export async function updateNotificationTarget(
  ctx: Context,
  owner: TargetOwner,
  id: NotificationTargetId,
  update: Update,
): Promise<NotificationTarget> {
  const { name, events, enabled, config } = update;
  return ctx.db.writer.transaction().execute(async (trx) => {
    const before = await findNotificationTarget(trx, owner, id);
    if (!onlyDisables(update)) checkEvents(owner, events ?? parseEvents(before));
    const stored = openConfig(ctx.vault, before);
    const merged = mergeConfig(before.type, owner !== 'site', stored, config ?? {});
    // Re-enabling it, or changing its address, resets its failures.
    const isFresh = (enabled === true && before.enabled === 0) || config !== undefined;
    const row = await trx
      .updateTable('destination')
      .set({
        name: name ?? before.name,
        events: events === undefined ? before.events : JSON.stringify([...new Set(events)]),
        enabled: Number(enabled ?? before.enabled === 1),
        config_sealed: sealConfig(ctx.vault, id, merged),
        ...(isFresh ? { failing_since: null, off_reason: '' } : {}),
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    if (row.enabled === 0) await failWaitingDeliveries(ctx, trx, id, 'The notification channel is disabled');
    else if (config !== undefined) {
      // Waiting notifications may be about events to which it is no longer subscribed.
      await failWaitingDeliveries(ctx, trx, id, 'The notification channel was changed', listAllowedEvents(owner));
      await scheduleNextDelivery(trx, `destination:${id}`, nowSeconds(ctx.clock));
    }
    return present(ctx, row);
  });
}

const onlyDisables = ({ enabled, ...others }: Update): boolean =>
  enabled === false && Object.values(others).every((value) => value === undefined);

/** @throws AppError `not-found`, also for another user's */
export async function removeNotificationTarget(
  ctx: Context,
  owner: TargetOwner,
  id: NotificationTargetId,
): Promise<void> {
  const reason = 'The notification channel was removed';
  await ctx.db.writer.transaction().execute(async (trx) => {
    await findNotificationTarget(trx, owner, id);
    await trx.updateTable('destination').set({ enabled: 0 }).where('id', '=', id).execute();
    await failWaitingDeliveries(ctx, trx, id, reason);
  });
  // Many ended deliveries may refer to it; deleting it would change them all in one statement.
  await processRowsInChunks(
    ctx.db,
    (trx) => trx.selectFrom('delivery').select('id').where('destination_id', '=', id),
    (trx, rows) =>
      trx.updateTable('delivery').set({ destination_id: null }).where('id', 'in', pluckIds(rows)).execute(),
  );
  await ctx.db.writer.transaction().execute(async (trx) => {
    // It may have been enabled meanwhile.
    await failWaitingDeliveries(ctx, trx, id, reason);
    await trx.deleteFrom('destination').where('id', '=', id).execute();
  });
}

/** @throws AppError `not-found`, also for another user's */
export async function findNotificationTarget(
  db: Kysely<Schema>,
  owner: TargetOwner,
  id: number,
): Promise<NotificationTargetRow> {
  const row = await selectOwnedTargets(db, owner).where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('notification channel', id);
  return row;
}

/** Disables a notification channel, and fails its waiting deliveries, until its owner enables it. */
export async function disableTarget(ctx: Context, id: number, reason: string): Promise<void> {
  await ctx.db.writer.transaction().execute(async (trx) => {
    await trx.updateTable('destination').set({ enabled: 0, off_reason: reason }).where('id', '=', id).execute();
    await failWaitingDeliveries(ctx, trx, id, 'The notification channel was disabled');
  });
}

async function failWaitingDeliveries(
  ctx: Context,
  trx: Kysely<Schema>,
  id: number,
  reason: string,
  keptEvents?: readonly NotificationEvent[],
): Promise<void> {
  await trx
    .updateTable('delivery')
    .set({ state: 'failed', next_try_time: null, ended_time: nowSeconds(ctx.clock), last_answer: reason })
    .where('lane', '=', `destination:${id}`)
    .where(isWaiting)
    .$if(keptEvents !== undefined, (query) => query.where('event', 'not in', keptEvents ?? []))
    .execute();
}

/** Lists the automatically disabled channels, which the console reports to their owners. */
export async function listAutoDisabledTargets(ctx: Context, userId: number | null): Promise<string[]> {
  const rows = await ctx.db.writer
    .selectFrom('destination')
    .select('name')
    .where('user_id', 'is not distinct from', userId)
    .where('off_reason', '<>', '')
    .orderBy('id')
    .execute();
  return rows.map(({ name }) => name);
}

/** Parses the stored list of events; ignores those that this version doesn't know. */
function parseEvents({ events }: Pick<NotificationTargetRow, 'events'>): NotificationEvent[] {
  const names: unknown = JSON.parse(events);
  return Array.isArray(names) ? names.flatMap((name) => notificationEvent.safeParse(name).data ?? []) : [];
}

/**
 * Checks that the owner may subscribe to the events: the site to its own, users to theirs and to others that they may
 * read.
 */
function checkEvents(owner: TargetOwner, events: readonly NotificationEvent[]): void {
  const allowed = listAllowedEvents(owner);
  const other = events.find((event) => !allowed.includes(event));
  if (other !== undefined) throw fieldError('events', 'not-allowed', `You cannot receive notifications about ${other}`);
}

const listAllowedEvents = (owner: TargetOwner): readonly NotificationEvent[] =>
  owner === 'site' ? siteEvents : listReadableEvents(owner);

/**
 * Returns the events that a caller may be notified of. Checked when a notification is queued, and again when it is sent
 * or shown.
 */
export const listReadableEvents = (caller: Pick<Caller, 'rights' | 'lacksSecondFactor'>): NotificationEvent[] =>
  [...ownEvents, ...siteEvents].filter((event) => hasAccess(caller, eventRights[event]));

function present(ctx: Context, row: NotificationTargetRow): NotificationTarget {
  return {
    id: row.id as NotificationTargetId,
    ...pickFields(row, ['type', 'name', 'off_reason', 'failing_since', 'created_time']),
    events: parseEvents(row),
    enabled: row.enabled === 1,
    hints: buildHints(row.type, row.user_id !== null, openConfig(ctx.vault, row)),
  };
}
