/** Details of one user, for administrators of a higher role. */

import { identityProvider } from '@switchyard/contract/accounts/identities';
import type { SignInMethods, userDetails } from '@switchyard/contract/accounts/user-details';
import type { UserId } from '@switchyard/contract/ids';
import type { RouteResponse } from '@switchyard/contract/route';
import type { Context } from '../../context.ts';
import { audit } from '../../operations/audit/audit.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { pickFields } from '../../platform/object-fields.ts';
import { endAllSessions, listActiveSessions } from '../authentication/authentication.ts';
import { endOwnSession } from '../profile/profile.ts';
import { countSecondFactors } from '../second-factor/second-factor.ts';
import { checkMayChangeUser, requireUser } from '../users/users.ts';
import { readBalanceHistory } from './balance-history.ts';

export const userDetailRoutes = (ctx: Context): Handlers<typeof userDetails> => ({
  balanceHistory: async ({ params: { id }, query }, { caller }) => {
    await checkMayChangeUser(ctx, caller, id);
    return readBalanceHistory(ctx, id, query);
  },
  signInWays: async ({ params: { id } }, { caller }) => {
    await checkMayChangeUser(ctx, caller, id);
    return readSignInMethods(ctx, id);
  },
  sessions: async ({ params: { id } }, { caller }) => {
    await checkMayChangeUser(ctx, caller, id);
    return listUserSessions(ctx, id);
  },
  endSession: async ({ params: { id, session } }, call) => {
    await checkMayChangeUser(ctx, call.caller, id);
    await endOwnSession(ctx, { userId: id, role: (await requireUser(ctx, id)).role }, session);
    await audit(ctx, call, { action: 'user.end-session', target: `user:${id}` });
  },
  endSessions: async ({ params: { id } }, call) => {
    await checkMayChangeUser(ctx, call.caller, id);
    await endAllSessions(ctx, id);
    await audit(ctx, call, { action: 'user.end-sessions', target: `user:${id}` });
  },
});

type Sessions = RouteResponse<(typeof userDetails)['sessions']>;

async function readSignInMethods(ctx: Context, userId: number): Promise<SignInMethods> {
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

async function listUserSessions(ctx: Context, userId: UserId): Promise<Sessions> {
  const { role } = await requireUser(ctx, userId);
  const rows = await listActiveSessions(ctx, { userId, role });
  return rows.map((row) => ({
    id: row.id_hash,
    ...pickFields(row, ['created_time', 'last_seen_time', 'address', 'device', 'method']),
  }));
}
