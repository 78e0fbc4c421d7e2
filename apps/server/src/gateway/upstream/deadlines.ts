/** One coarse timer for all waits, instead of several timers for each request. */
import type { Clock } from '../../platform/clock.ts';

export interface Deadlines {
  /** Calls `expire` once, about when `at` (of `clock.elapsed()`) has passed, unless cancelled. */
  add(wait: Deadline): void;
  remove(wait: Deadline): void;
  /**
   * Calls `look` in about so many milliseconds, and again after as many as it answers each time, until it answers
   * none. @returns what ends it
   */
  repeat(ms: number, look: () => number | undefined): () => void;
  close(): void;
}

/** `at` may move at any time. */
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
