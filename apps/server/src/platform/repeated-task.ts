/** Repeats work that never runs twice at a time. */
import type { Timers } from './clock.ts';

export interface RepeatedTask {
  /** Runs the work now, unless it is running. Resolves when it is done; never rejects. */
  runNow(): Promise<void>;
  /** Stops it, and waits for running work. */
  stop(): Promise<void>;
}

/** @param failed called with the error of a failed run */
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
