/** Channels that the gateway takes out and brings back, and those that rest. */
import type { Context } from '../../context.ts';
import { audit } from '../audit/audit.ts';

const REASON_MAX = 500;
const byGateway = { caller: undefined, address: '', requestId: '' };

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
  await ctx.changes.publish({ topic: 'channels' });
}

/** UTC seconds until which channels rest; in memory, because a rest is short. */
const rests = new WeakMap<Context, Map<number, number>>();

/** Tells the list of channels that one rests; 0 ends it. */
export function noteCooldown(ctx: Context, id: number, until: number): void {
  const known = rests.get(ctx) ?? new Map<number, number>();
  rests.set(ctx, known.set(id, until));
}

/** 0 when it does not rest. */
export function cooldownOf(ctx: Context, id: number, now: number): number {
  const until = rests.get(ctx)?.get(id) ?? 0;
  return until > now ? until : 0;
}
