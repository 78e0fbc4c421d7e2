/** One coarse timer for all deadlines, instead of several timers per request. */
import type { Clock } from '../../platform/clock.ts';

export interface Deadlines {
  /** Calls `expire` once, shortly after `at` (of `clock.elapsed()`), unless it is removed. */
  add(wait: Deadline): void;
  remove(wait: Deadline): void;
  /**
   * Calls `look` after about `ms`, and again after the milliseconds that it returns, until it returns undefined.
   * @returns a function that stops it
   */
  repeat(ms: number, look: () => number | undefined): () => void;
  close(): void;
}

/** Deadline whose `at` may change at any time. */
export interface Deadline {
  readonly at: number;
  expire(): void;
}

const SWEEP_MS = 500;

export function createDeadlines(clock: Clock): Deadlines {
  const waits = new Set<Deadline>();
  const timer = clock.every(SWEEP_MS, () => {
    const now = clock.elapsed();
    for (const wait of waits) {
      if (wait.at > now) continue;
      waits.delete(wait);
      wait.expire();
    }
  });
  return {
    add: (wait) => void waits.add(wait),
    remove: (wait) => void waits.delete(wait),
    repeat(ms, look) {
      let ended = false;
      const wait = {
        at: clock.elapsed() + ms,
        expire() {
          const next = look();
          if (next === undefined || ended) return;
          wait.at = clock.elapsed() + next;
          waits.add(wait);
        },
      };
      waits.add(wait);
      return () => {
        ended = true;
        waits.delete(wait);
      };
    },
    close: () => timer.close(),
  };
}
