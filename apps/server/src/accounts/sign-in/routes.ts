import type { signIn } from '@switchyard/contract/accounts/sign-in';
import type { Context } from '../../context.ts';
import { audit } from '../../operations/audit/audit.ts';
import { AppError } from '../../platform/http/app-error.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { createPasswordRateLimit } from './password-rate-limit.ts';
import { createRefusalLog, signInWithPassword, signOut } from './sign-in.ts';

export function signInRoutes(ctx: Context): Handlers<typeof signIn> {
  const guard = createPasswordRateLimit(ctx);
  const recordRefusal = createRefusalLog(ctx);
  return {
    signIn: async ({ body }, call) => {
      const self = await signInWithPassword(ctx, guard, call, body).catch(async (error: unknown) => {
        if (error instanceof AppError && error.code === 'wrong-credentials') await recordRefusal(call, body.username);
        throw error;
      });
      const byThemselves = { ...call, caller: { userId: self.id } };
      await audit(ctx, byThemselves, { action: 'session.start', target: `user:${self.id}` });
      return self;
    },
    signOut: async (_input, call) => {
      await signOut(ctx, call);
      if (call.caller?.sessionIdHash !== undefined)
        await audit(ctx, call, { action: 'session.end', target: `user:${call.caller.userId}` });
    },
  };
}
