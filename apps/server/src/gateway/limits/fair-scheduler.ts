/**
 * Shares the event loop between those who have much to do. Each does a small slice at a time, in a turn of its own kind:
 * the loop looks at the sockets of all others after a few milliseconds, however many events one upstream sends at once.
 * A slice that takes long, such as an event that lists much, cannot be cut: whoever did it waits before the next one.
 */
import type { Timers } from '../../platform/clock.ts';

/** Does a part of the work. @returns whether more is left */
export type Slice = () => boolean;

export interface FairScheduler {
  /** Runs the slice in later turns until nothing is left, alternating with those of others. It must not throw. */
  add(slice: Slice): void;
}

/** A small call takes about twenty turns: this is what it waits in each of them. */
const TURN_MS = 1;
const LONG_MS = 5;
/** After a long slice, others have the event loop for three times as long. */
const PAUSE_FACTOR = 3;

/** @param timers of the machine: what rests is this process */
export function createFairScheduler(timers: Timers): FairScheduler {
  const waiting: Slice[] = [];
  /** When the rests after all long slices so far are over. */
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
      if (isLeft && now - began > LONG_MS) pause(slice, now - began, now);
      else if (isLeft) waiting.push(slice);
    } while (waiting.length > 0 && now < until);
    isScheduled = false;
    schedule();
  };
  return { add };
}
