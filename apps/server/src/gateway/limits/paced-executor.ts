/**
 * Executor for work that cannot be cut into slices, such as parsing and translating a request with 100,000 messages.
 * Runs one piece at a time, users alternating. After each piece, the event loop is free for other work for three
 * times as long.
 */
import { type ClientRequest, isLongJson } from '@switchyard/relay';
import type { Timers } from '../../platform/clock.ts';
import { FairQueue } from '../../platform/limits/fair-queue.ts';

const PAUSE_FACTOR = 3;
const PAUSE_MAX_MS = 2_000;

export interface PacedExecutor {
  /** @throws what the work throws */
  run<T>(userId: number, work: () => T): Promise<T>;
}

/** Above this size, checking the texts of a request, or parsing a form, takes milliseconds. */
export const LONG_BYTES = 262_144;

/** Returns whether work on the whole request would block the process, by its size or its number of values. */
export function isLongRequest({ body, form }: Pick<ClientRequest, 'body' | 'form'>): boolean {
  return body.length >= LONG_BYTES || (form === undefined && isLongJson(body));
}

/** Runs work on a whole request: short work at once, long work by the executor. @throws what the work throws */
export async function runPaced<T>(
  executor: PacedExecutor,
  userId: number,
  request: Pick<ClientRequest, 'body' | 'form'>,
  work: () => T,
): Promise<T> {
  return isLongRequest(request) ? executor.run(userId, work) : work();
}

/**
 * Returns a function that runs work on one stored text after another: at once until their total size is long, then by
 * the executor.
 */
export function createPacedRunner(executor: PacedExecutor, userId: number) {
  let bytes = 0;
  return async <T>(more: number, work: () => T): Promise<T> => {
    bytes += more;
    return bytes < LONG_BYTES ? work() : executor.run(userId, work);
  };
}

/** @param timers real timers, because the pauses are for this process */
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
