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

export interface RepeatedTask {
  /** Runs the work now, unless it is running. Resolves when it is done; never rejects. */
  runNow(): Promise<void>;
  /** Stops it, and waits for running work. */
  stop(): Promise<void>;
}

/**
 * Repeats work that never runs twice at a time.
 * @param failed called with the error of a failed run
 */
export function startRepeating(
  timers: Timers,
  everyMs: number,
  work: () => Promise<void>,
  failed: (error: unknown) => void,
): RepeatedTask {
  let running: Promise<void> | undefined;
  // Work that throws before it returns a promise would otherwise end the process.
  const attempt = async (): Promise<void> => work();
  const now = (): Promise<void> => {
    running ??= attempt()
      .catch(failed)
      .finally(() => {
        running = undefined;
      });
    return running;
  };
  const timer = timers.every(everyMs, () => void now());
  return {
    runNow: now,
    async stop() {
      timer.close();
      await running;
    },
  };
}
