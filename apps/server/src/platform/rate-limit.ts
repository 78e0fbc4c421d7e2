/** Fixed windows in memory: at most `limit` events for a key in `windowMs`. */

import ipaddr from 'ipaddr.js';
import { AppError } from './app-error.ts';
import { createBoundedMap } from './bounded-map.ts';
import type { Clock } from './clock.ts';

export interface RateLimit {
  /** Counts one event. @throws AppError `too-many-requests` */
  take(key: string): void;
  /** Counts one event. @returns false when it is one too many */
  tryTake(key: string): boolean;
  /** Undoes a `take`, for what turned out not to be a try. */
  giveBack(key: string): void;
  /** Forgets a key, for instance after a successful sign-in. */
  reset(key: string): void;
}

const KEYS_MAX = 100_000;

export function createRateLimit(clock: Clock, limit: number, windowMs: number): RateLimit {
  const windows = createBoundedMap<string, { start: number; count: number }>(KEYS_MAX);
  /** Counts one event. @returns milliseconds until the next one is allowed; 0: this one is */
  const count = (key: string): number => {
    const now = clock.now();
    const known = windows.get(key);
    const window =
      known === undefined || now < known.start || now - known.start >= windowMs
        ? // A clock that was set back starts anew.
          { start: now, count: 0 }
        : known;
    window.count += 1;
    windows.set(key, window);
    return window.count > limit ? window.start + windowMs - now : 0;
  };
  return {
    take(key) {
      const waitMs = count(key);
      if (waitMs === 0) return;
      const retryAfterSeconds = Math.ceil(waitMs / 1000);
      throw new AppError('too-many-requests', `Too many attempts, try again in ${retryAfterSeconds} s`, {
        retryAfterSeconds,
      });
    },
    tryTake: (key) => count(key) === 0,
    giveBack(key) {
      const window = windows.get(key);
      if (window !== undefined) window.count -= 1;
    },
    reset: (key) => void windows.delete(key),
  };
}

/** For addresses of clients: whoever has one of IPv6 has its whole /64, so that these share a limit. */
export function createAddressLimit(clock: Clock, limit: number, windowMs: number): Pick<RateLimit, 'take'> {
  const byNetwork = createRateLimit(clock, limit, windowMs);
  return { take: (address) => byNetwork.take(networkOf(address)) };
}

function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4'
    ? parsed.toString()
    : ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`).toString();
}
