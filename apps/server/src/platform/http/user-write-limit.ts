import type { Route } from '@switchyard/contract/route';
import { createRateLimit } from '../limits/rate-limit.ts';
import { buildLimitKey, type Caller } from './caller.ts';

/** One per second on average, and twice as many at once. */
const WRITES = 120;
const WINDOW_MS = 120_000;

/** A day of writes is a few megabytes in the audit log, whose entries are never deleted. */
const DAILY_WRITES = 5_000;
const DAY_MS = 86_400_000;

/**
 * Limits each user's writes to their own data, because each costs a commit and most a permanent entry, and the bodies
 * that they send, because each is parsed. Administrators are exempt: they make many changes in a row, but few calls
 * in total.
 * @returns a function that counts one call and throws AppError `too-many-requests`
 */
export function createWriteLimit(
  ctx: Parameters<typeof createRateLimit>[0],
): (route: Route, caller: Caller | undefined) => Promise<void> {
  const limit = createRateLimit(ctx, 'changes', WRITES, WINDOW_MS);
  const dailyLimit = createRateLimit(ctx, 'changes within a day', DAILY_WRITES, DAY_MS);
  return async (route, caller) => {
    if (caller?.role !== 'user' || caller.impersonator !== undefined) return;
    if (!isCounted(route)) return;
    await limit.consume(buildLimitKey(caller));
    await dailyLimit.consume(buildLimitKey(caller));
  };
}

/** Returns whether a call counts. Ending a session has no body, and is always possible. */
function isCounted({ method, sameOrigin, impersonated, body }: Route): boolean {
  return body !== undefined || (impersonated !== true && (method !== 'GET' || sameOrigin === true));
}
