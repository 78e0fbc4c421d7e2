import type { Context } from '../../context.ts';
import { removeOldKeys } from '../../idempotency/idempotency.ts';

export async function removeOldIdempotencyKeys(ctx: Context, stopping?: AbortSignal): Promise<void> {
  const removed = await removeOldKeys(ctx, stopping);
  if (removed > 0) ctx.log.debug({ removed }, 'removed expired idempotency keys');
}
