/** One coarse timer for all waits, instead of several timers for each request. */
import type { Clock } from '../platform/clock.ts';

export interface Deadlines {
  /** Calls `expire` once, about when `at` (of `clock.elapsed()`) has passed, unless cancelled. */
  add(wait: Wait): void;
  remove(wait: Wait): void;
  close(): void;
}

/** `at` may move at any time. */
export interface Wait {
  readonly at: number;
  expire(): void;
}

const SWEEP_MS = 500;

export function createDeadlines(clock: Clock): Deadlines {
  const waits = new Set<Wait>();
  const timer = setInterval(() => {
    const now = clock.elapsed();
    for (const wait of waits) {
      if (wait.at > now) continue;
      waits.delete(wait);
      wait.expire();
    }
  }, SWEEP_MS);
  timer.unref();
  return {
    add: (wait) => void waits.add(wait),
    remove: (wait) => void waits.delete(wait),
    close: () => clearInterval(timer),
  };
}
