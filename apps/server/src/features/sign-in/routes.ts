import type { signIn } from '@switchyard/contract/sign-in';
import type { Context } from '../../context.ts';
import { AppError } from '../../platform/app-error.ts';
import type { Handlers } from '../../platform/mount.ts';
import { createRateLimit } from '../../platform/rate-limit.ts';
import { audit } from '../audit/audit.ts';
import { createRefusalNotes } from './refusal-notes.ts';
import { signInWithPassword, signOut } from './sign-in.ts';

const WINDOW_MS = 10 * 60_000;
const TRIES_PER_ACCOUNT_AND_ADDRESS = 10;
/** Wide, because whoever reaches it locks the owner out too. */
const TRIES_PER_ACCOUNT = 200;
/** Many people may sit behind one address. */
const TRIES_PER_ADDRESS = 100;

export function signInRoutes(ctx: Context): Handlers<typeof signIn> {
  const byBoth = createRateLimit(ctx.clock, TRIES_PER_ACCOUNT_AND_ADDRESS, WINDOW_MS);
  const byAccount = createRateLimit(ctx.clock, TRIES_PER_ACCOUNT, WINDOW_MS);
  const byAddress = createRateLimit(ctx.clock, TRIES_PER_ADDRESS, WINDOW_MS);
  const noteRefusal = createRefusalNotes(ctx);
  return {
    signIn: async ({ body }, call) => {
      byAddress.take(call.address);
      const account = body.username.toLowerCase();
      const both = `${account} ${call.address}`;
      byBoth.take(both);
      byAccount.take(account);
      const self = await signInWithPassword(ctx, call, body).catch(async (error: unknown) => {
        if (error instanceof AppError && error.code === 'wrong-credentials')
          await noteRefusal(call, body.username);
        throw error;
      });
      byBoth.reset(both);
      const byThemselves = { ...call, caller: { userId: self.id } };
      await audit(ctx, byThemselves, { action: 'session.start', target: `user:${self.id}` });
      return self;
    },
    signOut: async (_input, call) => {
      await signOut(ctx, call);
      if (call.caller?.sessionIdHash !== undefined)
        await audit(ctx, call, { action: 'session.end', target: `user:${call.caller.userId}` });
      return null;
    },
  };
}
