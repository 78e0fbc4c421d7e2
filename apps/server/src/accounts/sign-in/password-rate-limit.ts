/**
 * Rate limit on password attempts. All unknown browsers together share ten attempts, whatever their addresses, while
 * each browser that the owner has signed in with has ten of its own, so that guessing can't lock out the owner.
 */

import type { Context } from '../../context.ts';
import { createAddressLimit, createRateLimit } from '../../platform/limits/rate-limit.ts';
import type { HashQueue } from '../../platform/secrets/password-hashing.ts';
import { isKnownDevice } from '../authentication/authentication.ts';

const WINDOW_MS = 10 * 60_000;
const TRIES_PER_ACCOUNT = 10;
/** Many users may share one address. */
const TRIES_PER_ADDRESS = 100;

export interface PasswordAttempt {
  /** False: reject the attempt without checking the password, with the response for a wrong one. */
  allowed: boolean;
  /** Queue in which the hash waits to be computed. */
  queue: HashQueue;
  /** Resets the counters after a correct password. */
  recordSuccess(): void;
}

export interface PasswordRateLimit {
  /**
   * Counts one attempt.
   * @param userId account of the name; undefined for an unknown name
   * @throws AppError `too-many-requests`
   */
  beginAttempt(
    call: { address: string; deviceHash(): string },
    login: string,
    userId: number | undefined,
  ): Promise<PasswordAttempt>;
}

export function createPasswordRateLimit(ctx: Context): PasswordRateLimit {
  const byAddress = createAddressLimit(ctx, 'password attempts from this address', TRIES_PER_ADDRESS, WINDOW_MS);
  const byKnownDevice = createRateLimit(ctx, 'password attempts from this browser', TRIES_PER_ACCOUNT, WINDOW_MS);
  const byLogin = createRateLimit(ctx, 'password attempts for this name', TRIES_PER_ACCOUNT, WINDOW_MS);
  const byAccount = createRateLimit(ctx, 'password attempts for this account', TRIES_PER_ACCOUNT, WINDOW_MS);
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
      // An account has two logins, its name and its address. A refusal of one because of the other would reveal that
      // they belong together, so the limit of both together refuses silently.
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
