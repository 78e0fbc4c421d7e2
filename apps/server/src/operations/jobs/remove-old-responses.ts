import type { Context } from '../../context.ts';
import { removeExpiredResponses } from '../../responses/responses.ts';

export async function removeOldResponses(ctx: Context, stopping?: AbortSignal): Promise<void> {
  const removed = await removeExpiredResponses(ctx, stopping);
  if (removed > 0) ctx.log.debug({ removed }, 'removed expired responses');
}
