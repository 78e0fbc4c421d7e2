/**
 * Requests that their client left before anything was delivered cost the user nothing, but the operator may have paid
 * for the prompt. An account that leaves too many in a minute is refused for a minute.
 */
import { createBoundedMap } from '../../platform/bounded-map.ts';
import type { Clock } from '../../platform/clock.ts';
import type { AttemptResult } from '../http/attempt-result.ts';
import { RelayError } from '../http/relay-error.ts';

export interface UnreadRequests {
  note(userId: number): void;
  /** @throws RelayError `rate_limit_exceeded` */
  check(userId: number): void;
}

const PER_MINUTE = 30;
const MINUTE_MS = 60_000;
const USERS_MAX = 100_000;
/** Clients end requests by deadlines of their own, few of which are shorter. */
const PATIENCE_MS = 30_000;

/**
 * Returns whether a request was abandoned by its client's haste. After the head of a vendor's error nothing is left to pay
 * for, and after 30 s without any content the vendor is at fault: a vendor that stalls could otherwise lock the accounts of
 * all who call it.
 * @param waitedMs since the request began
 */
export function isAbandoned(
  { outcome, status }: Pick<AttemptResult, 'outcome' | 'status'>,
  waitedMs: number,
): boolean {
  return outcome === 'left' && (status === 0 || (status >= 200 && status < 300)) && waitedMs < PATIENCE_MS;
}

interface Count {
  /** Of `clock.elapsed()`. */
  since: number;
  left: number;
  refusedUntil: number;
}

export function createUnreadRequests(clock: Clock): UnreadRequests {
  const counts = createBoundedMap<number, Count>(USERS_MAX);
  return {
    note(userId) {
      const now = clock.elapsed();
      const known = counts.get(userId);
      const count =
        known === undefined || now - known.since >= MINUTE_MS
          ? { since: now, left: 0, refusedUntil: known?.refusedUntil ?? 0 }
          : known;
      count.left += 1;
      if (count.left >= PER_MINUTE) count.refusedUntil = now + MINUTE_MS;
      counts.set(userId, count);
    },
    check(userId) {
      if (counts.size === 0) return;
      const waitMs = (counts.get(userId)?.refusedUntil ?? 0) - clock.elapsed();
      if (waitMs <= 0) return;
      const seconds = Math.ceil(waitMs / 1000);
      throw new RelayError(
        'rate_limit_exceeded',
        `Your account left ${PER_MINUTE} requests in a minute before they were answered. Try again in ${seconds} s.`,
        { retryAfterSeconds: seconds },
      );
    },
  };
}
