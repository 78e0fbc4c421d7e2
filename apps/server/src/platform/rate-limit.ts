/** Fixed windows in memory: at most `limit` events for a key in `windowMs`. */

import { AppError } from './app-error.ts';
import { createBoundedMap } from './bounded-map.ts';
import type { Clock } from './clock.ts';

export interface RateLimit {
  /** Counts one event. @throws AppError `too-many-requests` */
  take(key: string): void;
  /** Forgets a key, for instance after a successful sign-in. */
  reset(key: string): void;
}

const KEYS_MAX = 100_000;

export function createRateLimit(clock: Clock, limit: number, windowMs: number): RateLimit {
  const windows = createBoundedMap<string, { start: number; count: number }>(KEYS_MAX);
  return {
    take(key) {
      const now = clock.now();
      const known = windows.get(key);
      const window =
        known === undefined || now < known.start || now - known.start >= windowMs
          ? // A clock that was set back starts anew.
            { start: now, count: 0 }
          : known;
      window.count += 1;
      windows.set(key, window);
      if (window.count > limit) {
        const retryAfterSeconds = Math.ceil((window.start + windowMs - now) / 1000);
        throw new AppError('too-many-requests', `Too many attempts, try again in ${retryAfterSeconds} s`, {
          retryAfterSeconds,
        });
      }
    },
    reset: (key) => void windows.delete(key),
  };
}
