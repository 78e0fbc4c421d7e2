/** Details of one user, for administrators of a higher role. */
import { identityProvider } from '@switchyard/contract/accounts/identities';
import type { SignInMethods, userDetails } from '@switchyard/contract/accounts/user-details';
import type { UserId } from '@switchyard/contract/ids';
import type { RouteResponse } from '@switchyard/contract/route';
import type { Context } from '../../context.ts';
import { notFound } from '../../platform/http/app-error.ts';
import { countSecondFactors } from '../second-factor/second-factor.ts';
import { endSession, listActiveSessions } from '../sessions/sessions.ts';
import { requireUser } from '../users/users.ts';

type Sessions = RouteResponse<(typeof userDetails)['sessions']>;

export async function readSignInMethods(ctx: Context, userId: number): Promise<SignInMethods> {
  const user = await requireUser(ctx, userId);
  const { totp, passkeys, recoveryCodes } = await countSecondFactors(ctx, userId);
  const bound = await ctx.db.writer
    .selectFrom('identity')
    .select('provider')
    .where('user_id', '=', userId)
    .orderBy('created_time')
    .execute();
  return {
    password: user.has_password === 1,
    email_verified: user.email_verified_time !== null,
    identities: bound.flatMap(({ provider }) => identityProvider.safeParse(provider).data ?? []),
    passkeys,
    totp,
    recovery_codes_left: recoveryCodes,
  };
}

export async function listUserSessions(ctx: Context, userId: UserId): Promise<Sessions> {
  const { role } = await requireUser(ctx, userId);
  const rows = await listActiveSessions(ctx, { userId, role });
  return rows.map(({ id_hash, created_time, last_seen_time, address, device, method }) => ({
    id: id_hash,
    created_time,
    last_seen_time,
    address,
    device,
    method,
  }));
}

/** @throws AppError `not-found`, also for another user's session */
export async function endUserSession(ctx: Context, userId: UserId, id: string): Promise<void> {
  const sessions = await listUserSessions(ctx, userId);
  if (!sessions.some((session) => session.id === id)) throw notFound('session');
  await endSession(ctx, id);
}
