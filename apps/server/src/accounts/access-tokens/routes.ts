import type { accessTokens } from '@switchyard/contract/accounts/access-tokens';
import type { Context } from '../../context.ts';
import { audit } from '../../operations/audit/audit.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { requireCredential } from '../authentication/authentication.ts';
import { createAccessToken, listAccessTokens, removeAccessToken, replaceUnnamedToken } from './access-tokens.ts';

export const accessTokenRoutes = (ctx: Context): Handlers<typeof accessTokens> => ({
  list: (_input, { caller }) => listAccessTokens(ctx, caller),
  create: async ({ body }, call) => {
    const created = await ctx.db.writer.transaction().execute(async (trx) => {
      await requireCredential(ctx, trx, call.caller);
      return createAccessToken(ctx, trx, call.caller, body);
    });
    await audit(ctx, call, { action: 'access-token.create', target: `access-token:${created.id}`, detail: body });
    return created;
  },
  remove: async ({ params }, call) => {
    await removeAccessToken(ctx, call.caller, params.id);
    await audit(ctx, call, { action: 'access-token.delete', target: `access-token:${params.id}` });
  },
  replace: async (_input, call) => {
    const text = await ctx.db.writer.transaction().execute(async (trx) => {
      await requireCredential(ctx, trx, call.caller);
      return replaceUnnamedToken(ctx, trx, call.caller.userId);
    });
    await audit(ctx, call, { action: 'access-token.replace', target: `user:${call.caller.userId}` });
    return text;
  },
});
