/** Notification channels besides the mail address of an account. Each belongs to a user or to the site. */

import type { NotificationTargetId } from '@switchyard/contract/ids';
import {
  type NotificationEvent,
  type NotificationTarget,
  type NotificationTargetForm,
  notificationEvent,
  type notificationTargetUpdate,
  siteEvents,
} from '@switchyard/contract/operations/alerts';
import { notificationTargetTypeInfo } from '@switchyard/contract/operations/destination-types';
import type { Kysely, Selectable } from 'kysely';
import type { z } from 'zod';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError, fieldError, notFound } from '../../platform/http/app-error.ts';
import type { Caller } from '../../platform/http/caller.ts';
import type { Schema } from '../../schema.ts';
import { hintsOf, mergeConfig, openConfig, sealConfig } from './destination-config.ts';
import { readableEvents } from './readers.ts';
import type { DestinationTable } from './table.ts';

export type DestinationRow = Selectable<DestinationTable>;
type Update = z.output<typeof notificationTargetUpdate>;

/** Owner of notification channels: a user, or the site. */
export type Owner = Pick<Caller, 'userId' | 'rights'> | 'site';

const OWN_MAX = 20;

const userOf = (owner: Owner): number | null => (owner === 'site' ? null : owner.userId);

const ownedBy = (db: Kysely<Schema>, owner: Owner) =>
  db.selectFrom('destination').selectAll().where('user_id', 'is not distinct from', userOf(owner));

export async function listDestinations(ctx: Context, owner: Owner): Promise<NotificationTarget[]> {
  const rows = await ownedBy(ctx.db.writer, owner).orderBy('id').execute();
  return rows.map((row) => present(ctx, row));
}

/** @throws AppError that names a field, or `conflict` for too many */
export async function createDestination(
  ctx: Context,
  owner: Owner,
  { type, name, events, enabled, config }: NotificationTargetForm,
): Promise<NotificationTarget> {
  const isOwn = owner !== 'site';
  if (isOwn && !notificationTargetTypeInfo[type].own)
    throw fieldError('type', 'not-allowed', 'Email notifications always go to the address of the account');
  checkEvents(owner, events);
  const merged = mergeConfig(type, isOwn, {}, config);
  return ctx.db.writer.transaction().execute(async (trx) => {
    const existing = await ownedBy(trx, owner).execute();
    if (existing.length >= OWN_MAX)
      throw new AppError(
        'conflict',
        `You have reached the limit of ${OWN_MAX} notification channels. Remove one first.`,
      );
    const { id } = await trx
      .insertInto('destination')
      .values({
        user_id: userOf(owner),
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

/** @throws AppError `not-found`, also for somebody else's, or that names a field */
export async function updateDestination(
  ctx: Context,
  owner: Owner,
  id: NotificationTargetId,
  { name, events, enabled, config }: Update,
): Promise<NotificationTarget> {
  return ctx.db.writer.transaction().execute(async (trx) => {
    const before = await findDestination(trx, owner, id);
    if (events !== undefined) checkEvents(owner, events);
    const stored = openConfig(ctx.vault, before);
    const merged = mergeConfig(before.type, owner !== 'site', stored, config ?? {});
    // Whoever switches it on again, or points it elsewhere, begins anew.
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
    if (row.enabled === 0) await giveUpWaiting(ctx, trx, id, 'The notification channel is disabled');
    return present(ctx, row);
  });
}

/** @throws AppError `not-found`, also for somebody else's */
export async function removeDestination(ctx: Context, owner: Owner, id: NotificationTargetId): Promise<void> {
  await ctx.db.writer.transaction().execute(async (trx) => {
    await findDestination(trx, owner, id);
    await giveUpWaiting(ctx, trx, id, 'The notification channel was removed');
    await trx.deleteFrom('destination').where('id', '=', id).execute();
  });
}

/** @throws AppError `not-found`, also for somebody else's */
export async function findDestination(db: Kysely<Schema>, owner: Owner, id: number): Promise<DestinationRow> {
  const row = await ownedBy(db, owner).where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('notification channel');
  return row;
}

/** Nothing is tried there any more, until its owner switches it on again. */
export async function switchOff(ctx: Context, id: number, reason: string): Promise<void> {
  await ctx.db.writer.transaction().execute(async (trx) => {
    await trx
      .updateTable('destination')
      .set({ enabled: 0, off_reason: reason })
      .where('id', '=', id)
      .execute();
    await giveUpWaiting(ctx, trx, id, 'The notification channel was disabled');
  });
}

async function giveUpWaiting(ctx: Context, trx: Kysely<Schema>, id: number, reason: string): Promise<void> {
  await trx
    .updateTable('delivery')
    .set({ state: 'failed', next_try_time: null, ended_time: nowSeconds(ctx.clock), last_answer: reason })
    .where('destination_id', '=', id)
    .where('state', '=', 'waiting')
    .execute();
}

/** Those that were switched off by themselves: their owners are told in the console. */
export async function switchedOff(ctx: Context, userId: number | null): Promise<string[]> {
  const rows = await ctx.db.writer
    .selectFrom('destination')
    .select('name')
    .where('user_id', 'is not distinct from', userId)
    .where('off_reason', '<>', '')
    .orderBy('id')
    .execute();
  return rows.map(({ name }) => name);
}

/** Parses the stored list of events; leaves out those that this version doesn't know. */
function eventsOf({ events }: Pick<DestinationRow, 'events'>): NotificationEvent[] {
  const names: unknown = JSON.parse(events);
  return Array.isArray(names) ? names.flatMap((name) => notificationEvent.safeParse(name).data ?? []) : [];
}

/** The site hears what concerns it; users what concerns them, and what else they may read. */
function checkEvents(owner: Owner, events: readonly NotificationEvent[]): void {
  const allowed: readonly NotificationEvent[] = owner === 'site' ? siteEvents : readableEvents(owner);
  const other = events.find((event) => !allowed.includes(event));
  if (other !== undefined)
    throw fieldError('events', 'not-allowed', `You cannot receive notifications about ${other}`);
}

function present(ctx: Context, row: DestinationRow): NotificationTarget {
  return {
    id: row.id as NotificationTargetId,
    type: row.type,
    name: row.name,
    events: eventsOf(row),
    enabled: row.enabled === 1,
    off_reason: row.off_reason,
    failing_since: row.failing_since,
    created_time: row.created_time,
    hints: hintsOf(row.type, row.user_id !== null, openConfig(ctx.vault, row)),
  };
}
