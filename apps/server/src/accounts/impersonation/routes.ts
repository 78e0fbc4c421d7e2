/**
 * Impersonation: root views the console as another user. What such a session may not do is refused where routes are
 * mounted.
 */
import type { impersonation } from '@switchyard/contract/accounts/impersonation';
import type { UserId } from '@switchyard/contract/ids';
import type { Context } from '../../context.ts';
import { audit } from '../../operations/audit/audit.ts';
import { AppError } from '../../platform/http/app-error.ts';
import type { Call, Handlers } from '../../platform/http/mount-routes.ts';
import {
  buildClearedCookie,
  endSession,
  IMPERSONATION_SECONDS,
  startImpersonation,
} from '../authentication/authentication.ts';
import { mailOwner } from '../security-mails/security-mails.ts';
import { requireUser } from '../users/users.ts';

export const impersonationRoutes = (ctx: Context): Handlers<typeof impersonation> => ({
  start: async ({ body: { user_id, reason } }, call) => {
    const until = await impersonate(ctx, call, user_id);
    const detail = { reason, until };
    await audit(ctx, call, { action: 'impersonation.start', target: `user:${user_id}`, detail });
    return { until };
  },
  end: async (_input, call) => {
    await endImpersonation(ctx, call);
    if (call.caller?.impersonator !== undefined)
      await audit(ctx, call, { action: 'impersonation.end', target: `user:${call.caller.userId}` });
  },
});

/**
 * @returns UTC seconds at which it ends
 * @throws AppError `not-allowed` for the root account, `conflict` for a disabled one
 */
async function impersonate(ctx: Context, call: Call<'root'>, userId: UserId): Promise<number> {
  const { sessionIdHash } = call.caller;
  const user = await requireUser(ctx, userId);
  if (user.role === 'root' || sessionIdHash === undefined)
    throw new AppError('not-allowed', 'You can impersonate only users with a lower role, and only from the console');
  if (user.status !== 'enabled') throw new AppError('conflict', 'This account is disabled and cannot be impersonated');
  const { cookie, startedAt } = await startImpersonation(ctx, userId, sessionIdHash, call);
  call.setCookie(cookie);
  const minutes = IMPERSONATION_SECONDS / 60;
  await mailOwner(ctx, userId, 'impersonated', { time: startedAt, minutes });
  return startedAt + IMPERSONATION_SECONDS;
}

/** Ends the impersonation, and clears the cookie in any case. */
async function endImpersonation(ctx: Context, call: Call<'anyone'>): Promise<void> {
  if (call.caller?.impersonator !== undefined && call.caller.sessionIdHash !== undefined)
    await endSession(ctx, call.caller.sessionIdHash);
  call.setCookie(buildClearedCookie('impersonation', call.secure));
}
