import type { Clock, Timer } from '../platform/clock.ts';

export interface TestClock extends Clock {
  /** Sets the time of day. Stopwatch time does not pass, and no timer runs. */
  set(ms: number): void;
  /** Advances time in one step. Each timer that is due by then runs once, in the order of due times. */
  advance(seconds: number): void;
  /** Moves the time of day ahead, like a correction. Stopwatch time does not pass, and no timer runs. */
  jump(seconds: number): void;
}

interface PendingTimer {
  /** Milliseconds on the scale of `elapsed`. */
  due: number;
  /** Undefined for a timer that runs once. */
  everyMs: number | undefined;
  run: () => void;
  /** Undefined while the clock is stopped, and for a timer that has ended. */
  real: NodeJS.Timeout | undefined;
  isKeepingAlive: boolean;
}

/**
 * Creates a clock that stands still at `start`: its timers run only when the test advances it. Without `start`, the
 * clock and its timers follow real time, and `advance` moves them ahead of it.
 */
export function createTestClock(start: number | undefined): TestClock {
  const isMovedByHand = start !== undefined;
  let fixed = start;
  let ahead = 0;
  let passed = 0;
  const waiting = new Set<PendingTimer>();
  const elapsed = (): number => (isMovedByHand ? 0 : performance.now()) + passed;

  const arm = (timer: PendingTimer): void => {
    if (isMovedByHand) return;
    clearTimeout(timer.real);
    timer.real = setTimeout(fire, Math.max(0, timer.due - elapsed()), timer);
    if (!timer.isKeepingAlive) timer.real.unref();
  };
  const close = (timer: PendingTimer): void => {
    clearTimeout(timer.real);
    waiting.delete(timer);
  };
  const fire = (timer: PendingTimer): void => {
    if (!waiting.has(timer)) return;
    if (timer.everyMs === undefined) close(timer);
    else {
      timer.due = elapsed() + timer.everyMs;
      arm(timer);
    }
    timer.run();
  };
  const set = (ms: number, everyMs: number | undefined, run: () => void): Timer => {
    const timer: PendingTimer = {
      due: elapsed() + ms,
      everyMs,
      run,
      real: undefined,
      isKeepingAlive: everyMs === undefined,
    };
    waiting.add(timer);
    arm(timer);
    const handle: Timer = {
      close: () => close(timer),
      unref() {
        timer.isKeepingAlive = false;
        timer.real?.unref();
        return handle;
      },
    };
    return handle;
  };

  return {
    now: () => (fixed ?? Date.now()) + ahead,
    elapsed,
    after: (ms, run) => set(ms, undefined, run),
    every: (ms, run) => set(ms, ms, run),
    set(ms) {
      fixed = ms;
      ahead = 0;
    },
    advance(seconds) {
      ahead += seconds * 1000;
      passed += seconds * 1000;
      const until = elapsed();
      const due = [...waiting].filter((timer) => timer.due <= until).toSorted((a, b) => a.due - b.due);
      for (const timer of waiting) arm(timer);
      for (const timer of due) fire(timer);
    },
    jump(seconds) {
      ahead += seconds * 1000;
    },
  };
}
