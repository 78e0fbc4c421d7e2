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
  /** Counts nothing. @throws AppError `too-many-requests` when there is no try left */
  check(key: string): void;
  /** Undoes a `take`, for what turned out not to be a try. */
  giveBack(key: string): void;
  /** Forgets a key, for instance after a successful sign-in. */
  reset(key: string): void;
}

const KEYS_MAX = 100_000;

export function createRateLimit(clock: Clock, limit: number, windowMs: number): RateLimit {
  const windows = createBoundedMap<string, { start: number; count: number }>(KEYS_MAX);
  const windowOf = (key: string): { start: number; count: number } => {
    const now = clock.now();
    const known = windows.get(key);
    // A clock that was set back starts anew.
    return known === undefined || now < known.start || now - known.start >= windowMs
      ? { start: now, count: 0 }
      : known;
  };
  /** Counts one event. @returns its window when it is one too many */
  const count = (key: string): { start: number } | undefined => {
    const window = windowOf(key);
    window.count += 1;
    windows.set(key, window);
    return window.count > limit ? window : undefined;
  };
  const refusal = ({ start }: { start: number }): AppError => {
    const retryAfterSeconds = Math.ceil((start + windowMs - clock.now()) / 1000);
    return new AppError('too-many-requests', `Too many attempts, try again in ${retryAfterSeconds} s`, {
      retryAfterSeconds,
    });
  };
  return {
    take(key) {
      const full = count(key);
      if (full !== undefined) throw refusal(full);
    },
    tryTake: (key) => count(key) === undefined,
    check(key) {
      const window = windowOf(key);
      if (window.count >= limit) throw refusal(window);
    },
    giveBack(key) {
      const window = windows.get(key);
      if (window !== undefined) window.count -= 1;
    },
    reset: (key) => void windows.delete(key),
  };
}

/** For addresses of clients: whoever has one of IPv6 has its whole /64, so that these share a limit. */
export function createAddressLimit(
  clock: Clock,
  limit: number,
  windowMs: number,
): Pick<RateLimit, 'take' | 'check'> {
  const byNetwork = createRateLimit(clock, limit, windowMs);
  return {
    take: (address) => byNetwork.take(networkOf(address)),
    check: (address) => byNetwork.check(networkOf(address)),
  };
}

function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4'
    ? parsed.toString()
    : ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`).toString();
}
