/** Channels that are taken out and brought back, and the history of it. */
import type { ChannelEvent } from '@switchyard/contract/channel-health';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { audit } from '../audit/audit.ts';

const REASON_MAX = 500;
export const byGateway = { caller: undefined, address: '', requestId: '' };

/**
 * Takes an enabled channel out after a confirmed key or account error. Does nothing to one that is out already.
 * @param reason a sentence without secrets; administrators see it
 */
export async function disableChannel(ctx: Context, id: number, reason: string): Promise<void> {
  await change(ctx, id, 'enabled', {
    status: 'auto-disabled',
    disabled_reason: reason.slice(0, REASON_MAX),
  });
}

/** Brings back a channel that the gateway took out; one that an administrator disabled stays out. */
export async function enableChannel(ctx: Context, id: number): Promise<void> {
  await change(ctx, id, 'auto-disabled', { status: 'enabled', disabled_reason: '' });
}

/** @param userId whose doing it is; absent for the gateway itself */
export async function noteEvent(
  ctx: Context,
  channelId: number,
  event: ChannelEvent['event'],
  reason = '',
  userId?: number,
): Promise<void> {
  await ctx.db.writer
    .insertInto('channel_event')
    .values({
      channel_id: channelId,
      created_at: nowSeconds(ctx.clock),
      event,
      reason,
      user_id: userId ?? null,
    })
    .execute();
}

const HOUR_SECONDS = 3600;
/** A channel that was taken out twice within an hour stays out at least this long. */
const HOLD_SECONDS = 600;

/** Whether a channel that comes and goes is still to stay out. */
export async function isHeldOut(ctx: Context, id: number): Promise<boolean> {
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
  return times.length > 1 && latest !== undefined && latest.created_at > now - HOLD_SECONDS;
}

async function change(
  ctx: Context,
  id: number,
  from: 'enabled' | 'auto-disabled',
  to: { status: 'enabled' | 'auto-disabled'; disabled_reason: string },
): Promise<void> {
  const changed = await ctx.db.writer
    .updateTable('channel')
    .set(to)
    .where('id', '=', id)
    .where('status', '=', from)
    .where('deleted_time', 'is', null)
    .returning('id')
    .executeTakeFirst();
  if (changed === undefined) return;
  await audit(ctx, byGateway, {
    action: to.status === 'enabled' ? 'channel.auto-enable' : 'channel.auto-disable',
    target: `channel:${id}`,
    detail: { reason: to.disabled_reason },
  });
  await noteEvent(ctx, id, to.status === 'enabled' ? 'auto-enabled' : 'auto-disabled', to.disabled_reason);
  await ctx.changes.publish({ topic: 'channels', ids: [id] });
}
