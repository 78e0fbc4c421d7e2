/** Advances a test clock in small steps. */
import { vi } from 'vitest';
import { sleep, systemTimers } from '../platform/clock.ts';
import type { TestClock } from './test-clock.ts';

const STEP_SECONDS = 10;
const INTERVAL_MS = 10;
/** Checks per step: work that a step starts, such as an upstream request, gets 300 ms to end before the next step. */
const CHECKS_PER_STEP = 30;

/** Advances the clock in steps of `seconds` until `check` passes. @returns the result of `check` */
export function advanceUntil<T>(clock: TestClock, check: () => T | Promise<T>, seconds = STEP_SECONDS): Promise<T> {
  let checks = 0;
  return vi.waitFor(
    async () => {
      if (checks % CHECKS_PER_STEP === 0) clock.advance(seconds);
      checks += 1;
      return check();
    },
    { timeout: 60_000, interval: INTERVAL_MS },
  );
}

/** Advances the clock in steps of `seconds` until `work` has ended. @returns its result, or throws its error */
export async function advanceWhile<T>(clock: TestClock, seconds: number, work: Promise<T>): Promise<T> {
  let isDone = false;
  const end = (): void => {
    isDone = true;
  };
  work.then(end, end);
  while (!isDone) {
    clock.advance(seconds);
    await sleep(systemTimers, 1);
  }
  return work;
}
