/** Fixed-window rate limits: at most `limit` events per key in `windowMs`. */

import ipaddr from 'ipaddr.js';
import { createBoundedMap } from '../caches.ts';
import type { Clock } from '../clock.ts';
import { AppError, formatRetryAdvice } from '../http/app-error.ts';
import type { SharedLimits } from './shared-limits.ts';

/** Rate limit that all nodes count together while limits are shared. */
export interface RateLimit {
  /** Counts one event. @throws AppError `too-many-requests` */
  consume(key: string): Promise<void>;
  /** Counts one event. @returns false when it exceeds the limit */
  tryConsume(key: string): Promise<boolean>;
  /** Counts nothing. @throws AppError `too-many-requests` when no try is left */
  check(key: string): Promise<void>;
  /** Undoes a `consume` for an event that should not count. */
  refund(key: string): void;
  /** Resets a key, for instance after a successful sign-in. */
  reset(key: string): void;
}

/** Rate limit of this node alone, for its own writes and for what reaches only one node. */
export interface LocalLimit {
  /** Counts one event. @returns false when it exceeds the limit */
  tryConsume(key: string): boolean;
}

/** Parts of the context that a rate limit needs. */
interface LimitContext {
  clock: Clock;
  sharedLimits: SharedLimits;
}

const KEYS_MAX = 100_000;

export function createLocalLimit(clock: Clock, limit: number, windowMs: number): LocalLimit {
  const windows = createWindows(clock, windowMs);
  return { tryConsume: (key) => windows.count(key, 1).count <= limit };
}

interface Window {
  /** UTC ms. */
  start: number;
  count: number;
}

function createWindows(clock: Clock, windowMs: number) {
  const windows = createBoundedMap<string, Window>(KEYS_MAX);
  const set = (key: string, window: Window): Window => {
    windows.set(key, window);
    return window;
  };
  return {
    set,
    count(key: string, change: 0 | 1): Window {
      const now = clock.now();
      const known = windows.get(key);
      // A window restarts when the clock was set back before its start.
      const isOver = known === undefined || now < known.start || now - known.start >= windowMs;
      const window = isOver ? { start: now, count: 0 } : known;
      window.count += change;
      return change === 0 ? window : set(key, window);
    },
    giveBack(key: string): void {
      const window = windows.get(key);
      if (window !== undefined) window.count -= 1;
    },
    reset: (key: string): void => void windows.delete(key),
  };
}

function rateLimitError(name: string, waitMs: number): AppError {
  const retryAfterSeconds = Math.ceil(waitMs / 1000);
  return new AppError('too-many-requests', `Too many ${name}. ${formatRetryAdvice(retryAfterSeconds)}`, {
    retryAfterSeconds,
  });
}

/** @param name plural noun for the error message, unique among limits */
export function createRateLimit(
  { clock, sharedLimits: shared }: LimitContext,
  name: string,
  limit: number,
  windowMs: number,
): RateLimit {
  const windows = createWindows(clock, windowMs);
  const nameOf = (key: string): string => `${name} ${key}`;
  /** @returns the window including the change */
  const count = async (key: string, change: 0 | 1): Promise<Window> => {
    const known = shared.isUp === true ? await shared.countInWindow(nameOf(key), windowMs, change) : undefined;
    if (known === undefined) return windows.count(key, change);
    return windows.set(key, { start: clock.now() - known.ageMs, count: known.count });
  };
  const refusal = ({ start }: Window): AppError => rateLimitError(name, start + windowMs - clock.now());
  return {
    async consume(key) {
      const window = await count(key, 1);
      if (window.count > limit) throw refusal(window);
    },
    tryConsume: async (key) => (await count(key, 1)).count <= limit,
    async check(key) {
      const window = await count(key, 0);
      if (window.count >= limit) throw refusal(window);
    },
    refund(key) {
      windows.giveBack(key);
      void shared.countInWindow(nameOf(key), windowMs, -1);
    },
    reset(key) {
      windows.reset(key);
      shared.resetWindow(nameOf(key));
    },
  };
}

/**
 * Returns a rate limit for client addresses. All addresses of an IPv6 /64 network share one limit, since a client
 * usually has the whole network.
 */
export function createAddressLimit(
  ctx: LimitContext,
  name: string,
  limit: number,
  windowMs: number,
): Pick<RateLimit, 'consume' | 'check'> {
  const byNetwork = createRateLimit(ctx, name, limit, windowMs);
  return {
    consume: (address) => byNetwork.consume(toNetwork(address)),
    check: (address) => byNetwork.check(toNetwork(address)),
  };
}

/** Returns the address, or the /64 network of an IPv6 address. */
export function toNetwork(address: string): string {
  if (!address.includes(':')) return address;
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4'
    ? parsed.toString()
    : ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`).toString();
}
