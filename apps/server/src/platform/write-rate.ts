import type { Route } from '@switchyard/contract/route';
import type { Caller } from './caller.ts';
import { createRateLimit } from './rate-limit.ts';

/** One a second for long, and twice as many at once. */
const WRITES = 120;
const WINDOW_MS = 120_000;

/**
 * Limits the changes of each user to their own things, because each costs a commit and most an entry that stays.
 * Administrators change many things in a row, and their calls are few.
 * @returns a function that counts one call and throws AppError `too-many-requests`
 */
export function createWriteRate(
  ctx: Parameters<typeof createRateLimit>[0],
): (route: Route, caller: Caller | undefined) => Promise<void> {
  const limit = createRateLimit(ctx, 'writes of a user', WRITES, WINDOW_MS);
  return async (route, caller) => {
    // Calls that only look may be made while acting as another user.
    const isWrite = route.impersonated !== true && (route.method !== 'GET' || route.sameOrigin === true);
    if (caller?.role === 'user' && isWrite) await limit.take(String(caller.userId));
  };
}
