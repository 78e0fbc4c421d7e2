import { removeExpiredOneTimes } from '../../accounts/one-time-secrets/one-time-secrets.ts';
import { removeExpiredSessions } from '../../accounts/sessions/sessions.ts';
import type { Context } from '../../context.ts';

/** Sessions that are over, and codes and links that nobody can use any more. */
export async function removeOldSessions(ctx: Context, stopping?: AbortSignal): Promise<void> {
  const removed = await removeExpiredSessions(ctx, stopping);
  await removeExpiredOneTimes(ctx, stopping);
  if (removed > 0) ctx.log.debug({ removed }, 'removed expired sessions');
}
