import type { Timer, Timers } from './clock.ts';

/** Time limit: its timers, the controller that it aborts, and the reason. */
export interface TimeLimit {
  timers: Timers;
  controller: AbortController;
  afterMs: number;
  reason: Error;
}

/** Waits for abortable work, and aborts it after `afterMs`. */
export async function abortWhenLate<T>(
  { timers, controller, afterMs, reason }: TimeLimit,
  waited: Promise<T>,
): Promise<T> {
  const timer = timers.after(afterMs, () => controller.abort(reason));
  return waited.finally(() => timer.close());
}

/** Yields a body, which is aborted when no bytes arrive for `afterMs`. The time of its reader does not count. */
export async function* abortWhenSilent(late: TimeLimit, body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const pieces = body[Symbol.asyncIterator]();
  for (;;) {
    const next = await abortWhenLate(late, pieces.next());
    if (next.done === true) return;
    yield next.value;
  }
}

/** Waits for work up to a limit; the work itself continues. */
export function waitAtMost(timers: Timers, ms: number, work: Promise<unknown>): Promise<unknown> {
  let timer: Timer | undefined;
  const late = new Promise<void>((resolve) => {
    timer = timers.after(ms, resolve);
  });
  return Promise.race([work, late]).finally(() => timer?.close());
}
