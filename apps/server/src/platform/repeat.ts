/** Repeated work that never runs twice at a time. */
import type { Timers } from './clock.ts';

export interface RepeatedTask {
  /** Does it now, unless it is under way. Resolves when it is done; never rejects. */
  runNow(): Promise<void>;
  /** Ends it, and waits for what is under way. */
  stop(): Promise<void>;
}

/** @param failed is told why it could not be done this time */
export function startRepeating(
  timers: Timers,
  everyMs: number,
  work: () => Promise<void>,
  failed: (error: unknown) => void,
): RepeatedTask {
  let running: Promise<void> | undefined;
  const now = (): Promise<void> => {
    running ??= work()
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
