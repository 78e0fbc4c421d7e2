import type { Context } from '../context.ts';
import { removeExpiredSessions } from '../features/sessions/sessions.ts';

export async function removeOldSessions(ctx: Context): Promise<void> {
  const removed = await removeExpiredSessions(ctx);
  if (removed > 0) ctx.log.debug({ removed }, 'removed expired sessions');
}
