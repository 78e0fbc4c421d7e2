/** Records refused sign-ins in the audit log, few enough that the disk cannot be filled with them. */
import type { Context } from '../../context.ts';
import { audit } from '../../operations/audit/audit.ts';
import { createBoundedMap } from '../../platform/caches.ts';
import { findAccountByLogin } from '../users/users.ts';
import type { SignInCall } from './sign-in.ts';

const INTERVAL_MS = 60_000;
const KEYS_MAX = 10_000;
const NAME_MAX = 64;

/**
 * Records at most one refusal for a name and an address in a minute. The typed name is stored only when an account is
 * called so: people type passwords into the field for the name.
 */
export function createRefusalLog(ctx: Context) {
  const recordedAt = createBoundedMap<string, number>(KEYS_MAX);
  return async (call: SignInCall & { requestId: string }, typed: string): Promise<void> => {
    const key = `${typed.toLowerCase()} ${call.address}`;
    const now = ctx.clock.now();
    const last = recordedAt.get(key);
    if (last !== undefined && now >= last && now - last < INTERVAL_MS) return;
    recordedAt.set(key, now);
    const account = await findAccountByLogin(ctx.db.writer, typed);
    await audit(
      ctx,
      { ...call, caller: undefined },
      account === undefined
        ? { action: 'session.refused', target: 'user:unknown' }
        : { action: 'session.refused', target: `user:${account.id}`, detail: { name: typed.slice(0, NAME_MAX) } },
    );
  };
}
