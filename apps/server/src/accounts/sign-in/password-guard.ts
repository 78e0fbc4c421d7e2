/**
 * Rate limit on password attempts. All unknown browsers together share ten attempts, whatever their addresses, while
 * each browser that the owner has signed in with has ten of its own, so that guessing can't lock out the owner.
 */

import type { Context } from '../../context.ts';
import { audit } from '../../operations/audit/audit.ts';
import { createBoundedMap } from '../../platform/caches.ts';
import { createAddressLimit, createRateLimit } from '../../platform/limits/rate-limit.ts';
import type { HashQueue } from '../../platform/secrets/password.ts';
import { findAccountByLogin } from '../users/users.ts';
import { isKnownDevice } from './known-devices.ts';
import type { SignInCall } from './sign-in.ts';

const WINDOW_MS = 10 * 60_000;
const TRIES_PER_ACCOUNT = 10;
/** Many people may sit behind one address. */
const TRIES_PER_ADDRESS = 100;

export interface PasswordAttempt {
  /** False: the password must not be looked at, and the answer is that of a wrong one. */
  allowed: boolean;
  /** Queue in which the hash waits to be computed. */
  queue: HashQueue;
  /** A right password is no guess. */
  recordSuccess(): void;
}

export interface PasswordGuard {
  /**
   * Counts one try.
   * @param userId whose account it is; undefined for a name that nobody has
   * @throws AppError `too-many-requests`
   */
  beginAttempt(
    call: { address: string; deviceHash(): string },
    login: string,
    userId: number | undefined,
  ): Promise<PasswordAttempt>;
}

export function createPasswordGuard(ctx: Context): PasswordGuard {
  const byAddress = createAddressLimit(ctx, 'passwords of an address', TRIES_PER_ADDRESS, WINDOW_MS);
  const byKnownDevice = createRateLimit(ctx, 'passwords of a device', TRIES_PER_ACCOUNT, WINDOW_MS);
  const byLogin = createRateLimit(ctx, 'passwords of a login', TRIES_PER_ACCOUNT, WINDOW_MS);
  const byAccount = createRateLimit(ctx, 'passwords of an account', TRIES_PER_ACCOUNT, WINDOW_MS);
  return {
    async beginAttempt(call, login, userId) {
      await byAddress.consume(call.address);
      const device = call.deviceHash();
      if (await isKnownDevice(ctx, userId, device)) {
        const key = `${userId} ${device}`;
        await byKnownDevice.consume(key);
        return { allowed: true, queue: 'known', recordSuccess: () => byKnownDevice.reset(key) };
      }
      const typed = login.toLowerCase();
      await byLogin.consume(typed);
      // An account has two logins, its name and its address. Refusing one because of the other would tell that they
      // belong together, so that the limit of both is silent.
      const account = userId === undefined ? `nobody ${typed}` : String(userId);
      return {
        allowed: await byAccount.tryConsume(account),
        queue: 'strangers',
        recordSuccess() {
          byLogin.refund(typed);
          byAccount.refund(account);
        },
      };
    },
  };
}

/** Refused sign-ins in the audit log, few enough that nobody can fill the disk with them. */

const INTERVAL_MS = 60_000;
const KEYS_MAX = 10_000;
const NAME_MAX = 64;

/**
 * Notes at most one refusal for a name and an address in a minute. What was typed is kept only when an account is
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
        : {
            action: 'session.refused',
            target: `user:${account.id}`,
            detail: { name: typed.slice(0, NAME_MAX) },
          },
    );
  };
}
