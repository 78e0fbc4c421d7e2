/**
 * Work that cannot be cut into slices, such as parsing and translating a request with 100,000 messages. It is done one piece
 * at a time, users alternating, and between two pieces the event loop serves others for three times as long.
 */
import { type ClientRequest, hasManyValues } from '@switchyard/relay';
import type { Timers } from '../../platform/clock.ts';
import { FairQueue } from '../../platform/limits/fair-queue.ts';

const PAUSE_FACTOR = 3;
const PAUSE_MAX_MS = 2_000;

export interface PacedExecutor {
  /** @throws what the work throws */
  run<T>(userId: number, work: () => T): Promise<T>;
}

/** Above this the texts of a request take milliseconds to look through, and a form takes as long to read. */
export const LONG_BYTES = 262_144;

/** Returns whether work on all of a request would keep the process busy, by its size or by how much it lists. */
export function isLongRequest({ body, form }: Pick<ClientRequest, 'body' | 'form'>): boolean {
  return body.length >= LONG_BYTES || (form === undefined && hasManyValues(body));
}

/** Runs work on all of a request: at once where that is short. @throws what the work throws */
export async function runPaced<T>(
  executor: PacedExecutor,
  userId: number,
  request: Pick<ClientRequest, 'body' | 'form'>,
  work: () => T,
): Promise<T> {
  return isLongRequest(request) ? executor.run(userId, work) : work();
}

/**
 * Returns a function that runs work on one stored text after the other: at once as long as there is little of them, and
 * spaced from the first one on that makes them long together.
 */
export function createPacedRunner(executor: PacedExecutor, userId: number) {
  let bytes = 0;
  return async <T>(more: number, work: () => T): Promise<T> => {
    bytes += more;
    return bytes < LONG_BYTES ? work() : executor.run(userId, work);
  };
}

/** @param timers of the machine: what it waits for is this process */
export function createPacedExecutor(timers: Timers): PacedExecutor {
  const waiting = new FairQueue<() => void>();
  let isBusy = false;

  const next = (): void => {
    const piece = waiting.next();
    isBusy = piece !== undefined;
    if (piece === undefined) return;
    const began = performance.now();
    piece();
    timers.after(Math.min(PAUSE_MAX_MS, PAUSE_FACTOR * (performance.now() - began)), next);
  };

  return {
    run: (userId, work) =>
      new Promise((resolve, reject) => {
        const piece = (): void => {
          try {
            resolve(work());
          } catch (error) {
            reject(error instanceof Error ? error : new Error('The work failed', { cause: error }));
          }
        };
        waiting.add(userId, piece);
        if (!isBusy) next();
      }),
  };
}
