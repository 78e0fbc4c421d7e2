import type { Timer, Timers } from './clock.ts';

/** A time limit: the timers that measure it, the controller that it aborts, and the reason. */
export interface TimeLimit {
  timers: Timers;
  controller: AbortController;
  afterMs: number;
  reason: Error;
}

/** Waits for what ends by a signal, and aborts it when it takes longer than so many milliseconds. */
export async function abortWhenLate<T>(
  { timers, controller, afterMs, reason }: TimeLimit,
  waited: Promise<T>,
): Promise<T> {
  const timer = timers.after(afterMs, () => controller.abort(reason));
  return waited.finally(() => timer.close());
}

/** A body as it comes, aborted when nothing of it comes for so long. The time that its reader takes does not count. */
export async function* abortWhenSilent(late: TimeLimit, body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const pieces = body[Symbol.asyncIterator]();
  for (;;) {
    const next = await abortWhenLate(late, pieces.next());
    if (next.done === true) return;
    yield next.value;
  }
}

/** Waits for some work, but not for longer than that; the work goes on. */
export function waitAtMost(timers: Timers, ms: number, work: Promise<unknown>): Promise<unknown> {
  let timer: Timer | undefined;
  const late = new Promise<void>((resolve) => {
    timer = timers.after(ms, resolve);
  });
  return Promise.race([work, late]).finally(() => timer?.close());
}
