import type { signIn } from '@switchyard/contract/accounts/sign-in';
import type { Context } from '../../context.ts';
import { audit } from '../../operations/audit/audit.ts';
import { createBoundedMap } from '../../platform/caches.ts';
import { AppError } from '../../platform/http/app-error.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { createLocalLimit } from '../../platform/limits/rate-limit.ts';
import { findAccountByLogin } from '../users/users.ts';
import { createPasswordRateLimit } from './password-rate-limit.ts';
import { type SignInCall, signInWithPassword, signOut } from './sign-in.ts';

const REFUSAL_INTERVAL_MS = 60_000;
/** Maximum pairs of an account and an address that are remembered. */
const REFUSALS_MAX = 10_000;
const TYPED_NAME_MAX = 64;
/** Entries are never deleted, and strangers can make up any number of names. */
const UNKNOWN_NAMES_PER_INTERVAL = 30;

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

/**
 * Records at most one refusal for an account and an address in a minute, and 30 for names without an account. The typed
 * name is stored only when an account is called so: people type passwords into the field for the name.
 */
function createRefusalLog(ctx: Context) {
  const recordedAt = createBoundedMap<string, number>(REFUSALS_MAX);
  const unknownNames = createLocalLimit(ctx.clock, UNKNOWN_NAMES_PER_INTERVAL, REFUSAL_INTERVAL_MS);
  return async (call: SignInCall & { requestId: string }, typed: string): Promise<void> => {
    const account = await findAccountByLogin(ctx.db.writer, typed);
    const key = `${account?.id ?? 'unknown'} ${call.address}`;
    const now = ctx.clock.now();
    const last = recordedAt.get(key);
    if (last !== undefined && now >= last && now - last < REFUSAL_INTERVAL_MS) return;
    if (account === undefined && !unknownNames.tryConsume('all')) return;
    recordedAt.set(key, now);
    await audit(
      ctx,
      { ...call, caller: undefined },
      account === undefined
        ? { action: 'session.refused', target: 'user:unknown' }
        : { action: 'session.refused', target: `user:${account.id}`, detail: { name: typed.slice(0, TYPED_NAME_MAX) } },
    );
  };
}
