import type { Clock } from '../platform/clock.ts';

export interface TestClock extends Clock {
  set(ms: number): void;
  advance(seconds: number): void;
  /** Sets the time of day, as a correction does; nothing else has passed. */
  jump(seconds: number): void;
}

/** Stands still at `start`; without one it runs with the real time, and `advance` moves it ahead of it. */
export function createTestClock(start: number | undefined): TestClock {
  let fixed = start;
  let ahead = 0;
  let passed = 0;
  return {
    now: () => (fixed ?? Date.now()) + ahead,
    elapsed: () => (fixed === undefined ? performance.now() : 0) + passed,
    set(ms) {
      fixed = ms;
      ahead = 0;
    },
    advance(seconds) {
      ahead += seconds * 1000;
      passed += seconds * 1000;
    },
    jump(seconds) {
      ahead += seconds * 1000;
    },
  };
}
