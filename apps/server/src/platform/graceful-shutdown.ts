/** Graceful shutdown: stops accepting, waits for in-flight requests, flushes, closes. */
import type { Server } from 'node:http';
import type { Timers } from './clock.ts';

export interface Drain {
  /** Resolves when load balancers have had time to notice that this node leaves. Until then everything is served. */
  waitForBalancers(): Promise<void>;
  /** Resolves when every connection is closed. */
  start(): Promise<void>;
  /** Skips the remaining wait; running requests still get their error and are settled. */
  force(): void;
}

/** Milliseconds that clients have, after the drain, to read the error that ends their requests. */
const FINAL_FLUSH_MS = 500;
const IDLE_CHECK_MS = 250;

interface RunningRequests {
  /** Waits for running requests, also for those without a connection. */
  waitUntilSettled(): Promise<void>;
  /** Ends running requests with an error. */
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
      // Keep-alive connections become idle when their last request ends.
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
