/**
 * Shares the event loop between long-running work. Each task runs one small slice per turn, so that the loop serves
 * other sockets every few milliseconds, however many events one upstream sends at once. A long slice, such as one
 * large event, cannot be cut: its task pauses before the next one.
 */
import type { Timers } from '../../platform/clock.ts';

/** Does part of the work. @returns whether more is left */
export type Slice = () => boolean;

export interface FairScheduler {
  /** Runs the slice in later turns until nothing is left, alternating with other slices. It must not throw. */
  add(slice: Slice): void;
}

const TURN_MS = 1;
/**
 * A slice that takes longer is followed by a pause. A small call takes about twenty turns and may wait for a slice in
 * each of them: this keeps its delay below 50 ms.
 */
export const LONG_SLICE_MS = 2;
/** After a long slice, the event loop is free for other work for three times as long. */
const PAUSE_FACTOR = 3;

/** @param timers real timers, because the pauses are for this process */
export function createFairScheduler(timers: Timers): FairScheduler {
  const waiting: Slice[] = [];
  /** `performance.now()` at the end of the pauses for all long slices so far. */
  let pausedUntil = 0;
  let isScheduled = false;
  const schedule = (): void => {
    if (isScheduled || waiting.length === 0) return;
    isScheduled = true;
    setImmediate(runTurn);
  };
  const add = (slice: Slice): void => {
    waiting.push(slice);
    schedule();
  };
  const pause = (slice: Slice, tookMs: number, now: number): void => {
    pausedUntil = Math.max(pausedUntil, now) + PAUSE_FACTOR * tookMs;
    timers.after(pausedUntil - now, () => add(slice));
  };
  const runTurn = (): void => {
    let now = performance.now();
    const until = now + TURN_MS;
    do {
      const slice = waiting.shift();
      if (slice === undefined) break;
      const began = now;
      const isLeft = slice();
      now = performance.now();
      if (isLeft && now - began > LONG_SLICE_MS) pause(slice, now - began, now);
      else if (isLeft) waiting.push(slice);
    } while (waiting.length > 0 && now < until);
    isScheduled = false;
    schedule();
  };
  return { add };
}

/**
 * Runs work that yields after each slice: the first slice at once, the others in turns with other work. Resolves with
 * its result, or rejects with what it throws.
 */
export async function runInTurns<T>(scheduler: FairScheduler, slices: Iterator<undefined, T>): Promise<T> {
  const first = slices.next();
  if (first.done === true) return first.value;
  return new Promise((resolve, reject) => {
    scheduler.add(() => {
      try {
        const { done, value } = slices.next();
        if (done === true) resolve(value);
        return done !== true;
      } catch (error) {
        reject(error instanceof Error ? error : new Error('The work failed', { cause: error }));
        return false;
      }
    });
  });
}
