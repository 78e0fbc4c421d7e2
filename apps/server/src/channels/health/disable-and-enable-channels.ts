/** Disables and re-enables channels, and records the history. */
import type { ChannelEvent } from '@switchyard/contract/channels/channel-health';
import type { Kysely } from 'kysely';
import type { Context } from '../../context.ts';
import { audit } from '../../operations/audit/audit.ts';
import { notifySite } from '../../operations/notifications/notifications.ts';
import { nowSeconds } from '../../platform/clock.ts';
import type { Schema } from '../../schema.ts';

export const gatewayActor = { caller: undefined, address: '', requestId: '' };

/**
 * Disables an enabled channel after a confirmed key or account error.
 * @param trx transaction of the change; notifications follow after it
 * @returns false if it was already disabled
 */
export function disableChannel(ctx: Context, trx: Kysely<Schema>, id: number, reason: string): Promise<boolean> {
  const to = { status: 'auto-disabled', disabled_reason: reason } as const;
  return changeStatus(ctx, trx, id, { from: 'enabled', to, event: 'auto-disabled' });
}

/** Re-enables an auto-disabled channel; one that an administrator disabled stays disabled. */
export async function enableChannel(
  ctx: Context,
  id: number,
  event: 'auto-enabled' | 'on-trial' = 'auto-enabled',
): Promise<void> {
  const to = { status: 'enabled', disabled_reason: '' } as const;
  const isChanged = await ctx.db.writer
    .transaction()
    .execute((trx) => changeStatus(ctx, trx, id, { from: 'auto-disabled', to, event }));
  if (isChanged) await notifyChannelStatus(ctx, id, event);
}

/** @param db transaction of the change that the event records */
export async function recordEvent(
  { clock }: Pick<Context, 'clock'>,
  db: Kysely<Schema>,
  channelId: number,
  event: ChannelEvent['event'],
  /** `userId` is the user who caused it; absent for the gateway itself. */
  { reason = '', userId }: { reason?: string; userId?: number | undefined } = {},
): Promise<void> {
  await db
    .insertInto('channel_event')
    .values({ channel_id: channelId, created_at: nowSeconds(clock), event, reason, user_id: userId ?? null })
    .execute();
}

const HOUR_SECONDS = 3600;
const DAY_SECONDS = 24 * HOUR_SECONDS;
/** Minimum seconds for which a channel that was disabled twice within an hour stays disabled. */
const FLAPPING_SECONDS = 600;

/** Returns whether a channel that flaps must stay disabled for now. */
export async function mustStayDisabled(ctx: Context, id: number): Promise<boolean> {
  const now = nowSeconds(ctx.clock);
  const times = await ctx.db.writer
    .selectFrom('channel_event')
    .select('created_at')
    .where('channel_id', '=', id)
    .where('event', '=', 'auto-disabled')
    .where('created_at', '>', now - HOUR_SECONDS)
    .orderBy('id', 'desc')
    .execute();
  const [latest] = times;
  return times.length > 1 && latest !== undefined && latest.created_at > now - FLAPPING_SECONDS;
}

/**
 * Returns whether a channel has to wait for its next trial by a client's request. The first trial is immediate; after
 * each further failed one within a day the wait doubles, from ten minutes up to an hour, so that few clients'
 * requests are used for trials.
 */
export async function mustWaitForTrial(ctx: Context, id: number, isKey: boolean): Promise<boolean> {
  const now = nowSeconds(ctx.clock);
  const times = await ctx.db.writer
    .selectFrom('channel_event')
    .select('created_at')
    .where('channel_id', '=', id)
    .where('event', '=', isKey ? 'key-auto-disabled' : 'auto-disabled')
    .where('created_at', '>', now - DAY_SECONDS)
    .orderBy('id', 'desc')
    .execute();
  const [latest] = times;
  if (latest === undefined || times.length < 2) return false;
  const wait = Math.min(FLAPPING_SECONDS * 2 ** (times.length - 2), HOUR_SECONDS);
  return latest.created_at > now - wait;
}

/** Reports a status change by the gateway to the audit log, to those who want notifications, and to the relay. */
export async function notifyChannelStatus(
  ctx: Context,
  id: number,
  event: 'auto-enabled' | 'auto-disabled' | 'on-trial',
  reason = '',
): Promise<void> {
  const action = event === 'auto-disabled' ? 'channel.auto-disable' : 'channel.auto-enable';
  await audit(ctx, gatewayActor, { action, target: `channel:${id}`, detail: { reason } });
  const isKnown = event === 'auto-disabled' && (await hasFailedTrial(ctx, id));
  if (event !== 'on-trial' && !isKnown) await notifyChannelEvent(ctx, id, event, reason);
  await ctx.changes.publish({ topic: 'channels', ids: [id] });
}

/** Returns whether a channel was disabled again after a trial that began at most an hour ago. */
async function hasFailedTrial(ctx: Context, id: number): Promise<boolean> {
  const before = await ctx.db.writer
    .selectFrom('channel_event')
    .select(['event', 'created_at'])
    .where('channel_id', '=', id)
    .where('event', '!=', 'auto-disabled')
    .orderBy('id', 'desc')
    .executeTakeFirst();
  return before?.event === 'on-trial' && before.created_at > nowSeconds(ctx.clock) - HOUR_SECONDS;
}

async function notifyChannelEvent(
  ctx: Context,
  id: number,
  event: 'auto-enabled' | 'auto-disabled',
  reason: string,
): Promise<void> {
  const row = await ctx.db.writer.selectFrom('channel').select('name').where('id', '=', id).executeTakeFirst();
  if (row === undefined) return;
  const channel = row.name;
  if (event === 'auto-enabled') await notifySite(ctx, 'channel-enabled', { channel });
  else await notifySite(ctx, 'channel-disabled', { channel, reason });
}

interface StatusChange {
  from: 'enabled' | 'auto-disabled';
  to: { status: 'enabled' | 'auto-disabled'; disabled_reason: string };
  event: 'auto-enabled' | 'auto-disabled' | 'on-trial';
}

/** Changes the status together with the history, by which a channel that flaps stays disabled. */
async function changeStatus(
  ctx: Context,
  trx: Kysely<Schema>,
  id: number,
  { from, to, event }: StatusChange,
): Promise<boolean> {
  const changed = await trx
    .updateTable('channel')
    .set(to)
    .where('id', '=', id)
    .where('status', '=', from)
    .where('deleted_time', 'is', null)
    .returning('id')
    .executeTakeFirst();
  if (changed === undefined) return false;
  await recordEvent(ctx, trx, id, event, { reason: to.disabled_reason });
  return true;
}
