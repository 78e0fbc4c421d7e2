import type { userDetails } from '@switchyard/contract/accounts/user-details';
import type { Context } from '../../context.ts';
import { audit } from '../../operations/audit/audit.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { endSessionsOf } from '../sessions/sessions.ts';
import { mayChangeUser } from '../users/users.ts';
import { readBalanceHistory } from './balance-history.ts';
import { endSessionOf, listSessions, readSignInWays } from './user-details.ts';

export const userDetailRoutes = (ctx: Context): Handlers<typeof userDetails> => ({
  balanceHistory: async ({ params: { id }, query }, { caller }) => {
    await mayChangeUser(ctx, caller, id);
    return readBalanceHistory(ctx, id, query);
  },
  signInWays: async ({ params: { id } }, { caller }) => {
    await mayChangeUser(ctx, caller, id);
    return readSignInWays(ctx, id);
  },
  sessions: async ({ params: { id } }, { caller }) => {
    await mayChangeUser(ctx, caller, id);
    return listSessions(ctx, id);
  },
  endSession: async ({ params: { id, session } }, call) => {
    await mayChangeUser(ctx, call.caller, id);
    await endSessionOf(ctx, id, session);
    await audit(ctx, call, { action: 'user.end-session', target: `user:${id}` });
    return null;
  },
  endSessions: async ({ params: { id } }, call) => {
    await mayChangeUser(ctx, call.caller, id);
    await endSessionsOf(ctx, id);
    await audit(ctx, call, { action: 'user.end-sessions', target: `user:${id}` });
    return null;
  },
});
