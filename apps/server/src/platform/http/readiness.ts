/**
 * Liveness and readiness for supervisors and load balancers. The process is ready while it can write durably and is
 * not shutting down.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock, Timers } from '../clock.ts';

export interface Readiness {
  /** Responds if the request is a liveness or readiness check. */
  handle(request: IncomingMessage, response: ServerResponse): boolean;
  /** Reports not ready from now on. */
  drain(): void;
  readonly isDraining: boolean;
}

/** Anyone may check at any rate, so a write is tried at most this often. */
const CHECK_INTERVAL_MS = 2_000;
const CHECK_TIMEOUT_MS = 2_000;

/** @param write performs one durable write */
export function createReadiness(write: () => Promise<unknown>, clock: Clock): Readiness {
  let draining = false;
  let triedAt = Number.NEGATIVE_INFINITY;
  let written: Promise<boolean> = Promise.resolve(false);

  const canWrite = (): Promise<boolean> => {
    const now = clock.elapsed();
    if (now - triedAt < CHECK_INTERVAL_MS) return written;
    triedAt = now;
    written = succeedsWithin(clock, write(), CHECK_TIMEOUT_MS);
    return written;
  };

  return {
    handle(request, response) {
      if (request.url === '/healthz') {
        sendText(response, 200, 'alive');
        return true;
      }
      if (request.url !== '/readyz') return false;
      if (draining) sendText(response, 503, 'draining');
      else
        void canWrite().then((can) =>
          sendText(response, can ? 200 : 503, can ? 'ready' : 'the storage cannot be written'),
        );
      return true;
    },
    drain() {
      draining = true;
    },
    get isDraining() {
      return draining;
    },
  };
}

/** Resolves with whether the work succeeded in time. */
function succeedsWithin(timers: Timers, work: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = timers.after(ms, () => resolve(false));
    const done = (can: boolean) => () => {
      timer.close();
      resolve(can);
    };
    work.then(done(true), done(false));
  });
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
  response.end(`${text}\n`);
}
