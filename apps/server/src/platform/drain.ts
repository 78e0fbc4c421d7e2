/** Ends a server's work: no new connections, time for what runs, then last words, then silence. */
import type { Server } from 'node:http';

export interface Drain {
  /** Resolves when every connection is closed. */
  start(): Promise<void>;
  /** Skips what is left of the wait; what runs is still told and settled. */
  hurry(): void;
}

/** How long clients have for the error that ends their requests, after the drain. */
const LAST_WORDS_MS = 500;
const IDLE_LOOK_MS = 250;

interface Running {
  /** Waits for what runs, also for what no connection waits for. */
  settled(): Promise<void>;
  /** Ends what still runs, each request with an error. */
  stopRunning(): void;
}

export function createDrain(server: Server, drainSeconds: number, running: Running): Drain {
  let hurried = false;
  let waiting: (() => void) | undefined;

  const endOfWait = (): Promise<void> =>
    new Promise((resolve) => {
      if (hurried) return resolve();
      const timer = setTimeout(resolve, drainSeconds * 1000);
      waiting = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  return {
    async start() {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      // A connection that was kept alive becomes idle when its last request ends.
      const closeIdle = setInterval(() => server.closeIdleConnections(), IDLE_LOOK_MS);
      server.closeIdleConnections();
      await Promise.race([closed.then(() => running.settled()), endOfWait()]);
      waiting?.();
      running.stopRunning();
      const lastWords = setTimeout(() => server.closeAllConnections(), LAST_WORDS_MS);
      await closed;
      clearTimeout(lastWords);
      clearInterval(closeIdle);
    },
    hurry() {
      hurried = true;
      waiting?.();
    },
  };
}
