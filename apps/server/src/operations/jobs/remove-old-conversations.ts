import type { Context } from '../../context.ts';
import { removeUnchangedConversations } from '../../playground/playground.ts';

export async function removeOldConversations(ctx: Context, stopping?: AbortSignal): Promise<void> {
  const removed = await removeUnchangedConversations(ctx, stopping);
  if (removed > 0) ctx.log.debug({ removed }, 'removed expired conversations');
}
