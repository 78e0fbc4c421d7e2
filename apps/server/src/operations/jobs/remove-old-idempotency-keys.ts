import type { Context } from '../../context.ts';
import { removeOldKeys } from '../../idempotency/idempotency.ts';

export async function removeOldIdempotencyKeys(ctx: Context): Promise<void> {
  const removed = await removeOldKeys(ctx);
  if (removed > 0) ctx.log.debug({ removed }, 'removed expired idempotency keys');
}
