/** Ends a server's work: no new connections, time for what runs, then last words, then silence. */
import type { Server } from 'node:http';
import type { Timers } from './clock.ts';

export interface Drain {
  /** Resolves when balancers have had the time to see that this node leaves. Until then everything is served. */
  waitForBalancers(): Promise<void>;
  /** Resolves when every connection is closed. */
  start(): Promise<void>;
  /** Skips what is left of the wait; what runs is still told and settled. */
  force(): void;
}

/** Milliseconds that clients have, after the drain, for the error that ends their requests. */
const FINAL_FLUSH_MS = 500;
const IDLE_CHECK_MS = 250;

interface RunningRequests {
  /** Waits for what runs, also for what no connection waits for. */
  waitUntilSettled(): Promise<void>;
  /** Ends what still runs, each request with an error. */
  abortRunning(): void;
}

interface DrainDelays {
  delaySeconds: number;
  drainSeconds: number;
}

export function createDrain(
  server: Server,
  { delaySeconds, drainSeconds }: DrainDelays,
  running: RunningRequests,
  timers: Timers,
): Drain {
  let hurried = false;
  let waiting: (() => void) | undefined;

  const endOfWait = (seconds: number): Promise<void> =>
    new Promise((resolve) => {
      if (hurried || seconds === 0) return resolve();
      const timer = timers.after(seconds * 1000, resolve);
      waiting = () => {
        timer.close();
        resolve();
      };
    });

  return {
    waitForBalancers: () => endOfWait(delaySeconds),
    async start() {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      // A connection that was kept alive becomes idle when its last request ends.
      const closeIdle = timers.every(IDLE_CHECK_MS, () => server.closeIdleConnections());
      server.closeIdleConnections();
      await Promise.race([closed.then(() => running.waitUntilSettled()), endOfWait(drainSeconds)]);
      waiting?.();
      running.abortRunning();
      const lastWords = timers.after(FINAL_FLUSH_MS, () => server.closeAllConnections());
      await closed;
      lastWords.close();
      closeIdle.close();
    },
    force() {
      hurried = true;
      waiting?.();
    },
  };
}
