/** One coarse timer for all deadlines, instead of several timers per request. */
import type { Clock } from '../../platform/clock.ts';
import { SlotList } from '../../platform/slot-list.ts';

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
  /** Set while it is waited for. */
  slot?: number | undefined;
  expire(): void;
}

const SWEEP_MS = 500;

export function createDeadlines(clock: Clock): Deadlines {
  const waits = new SlotList<Deadline>();
  const add = (wait: Deadline): void => {
    wait.slot ??= waits.add(wait);
  };
  const remove = (wait: Deadline): void => {
    if (wait.slot === undefined) return;
    waits.remove(wait.slot);
    wait.slot = undefined;
  };
  const timer = clock.every(SWEEP_MS, () => {
    const now = clock.elapsed();
    for (const wait of waits) {
      if (wait.at > now) continue;
      remove(wait);
      wait.expire();
    }
  });
  return {
    add,
    remove,
    repeat(ms, look) {
      let ended = false;
      const wait = {
        at: clock.elapsed() + ms,
        slot: undefined,
        expire() {
          const next = look();
          if (next === undefined || ended) return;
          wait.at = clock.elapsed() + next;
          add(wait);
        },
      };
      add(wait);
      return () => {
        ended = true;
        remove(wait);
      };
    },
    close: () => timer.close(),
  };
}
