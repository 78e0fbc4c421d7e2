import type { userDetails } from '@switchyard/contract/accounts/user-details';
import type { Context } from '../../context.ts';
import { audit } from '../../operations/audit/audit.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { endAllSessions } from '../sessions/sessions.ts';
import { checkMayChangeUser } from '../users/users.ts';
import { readBalanceHistory } from './balance-history.ts';
import { endUserSession, listUserSessions, readSignInMethods } from './user-details.ts';

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
    await endUserSession(ctx, id, session);
    await audit(ctx, call, { action: 'user.end-session', target: `user:${id}` });
  },
  endSessions: async ({ params: { id } }, call) => {
    await checkMayChangeUser(ctx, call.caller, id);
    await endAllSessions(ctx, id);
    await audit(ctx, call, { action: 'user.end-sessions', target: `user:${id}` });
  },
});
