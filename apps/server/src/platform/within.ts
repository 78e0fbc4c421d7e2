import type { Timer, Timers } from './clock.ts';

/** Waits for some work, but not for longer than that; the work goes on. */
export function waitAtMost(timers: Timers, ms: number, work: Promise<unknown>): Promise<unknown> {
  let timer: Timer | undefined;
  const late = new Promise<void>((resolve) => {
    timer = timers.after(ms, resolve);
  });
  return Promise.race([work, late]).finally(() => timer?.close());
}
