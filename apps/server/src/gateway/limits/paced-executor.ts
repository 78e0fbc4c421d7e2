/**
 * Executor for work that cannot be cut into slices, such as parsing and translating a request with 100,000 messages.
 * Runs one piece at a time, and leaves the event loop to other work for three times as long. The user who caused a
 * pause waits for it; others only wait for a short gap, so that one user's large bodies don't delay another's.
 */
import { type ClientRequest, isLongJson } from '@switchyard/relay';
import { createBoundedMap } from '../../platform/caches.ts';
import type { Timer, Timers } from '../../platform/clock.ts';

/** All users together take one part in four of the time. */
const PERIOD_FACTOR = 4;
/** Longest gap after a piece, in which nobody's work runs. */
const GAP_MAX_MS = 50;
const PAUSE_MAX_MS = 2_000;
/** Users whose short work is remembered. */
const USERS_MAX = 10_000;

export interface PacedExecutor {
  /** @throws what the work throws */
  run<T>(userId: number, work: () => T): Promise<T>;
  /** Runs work of a few milliseconds at once, unless its user has just had much of it. @throws what the work throws */
  runShort<T>(userId: number, work: () => T): T | Promise<T>;
}

/** Below this size, work on a request takes less than a millisecond. */
export const SHORT_BYTES = 32_768;
/** Pause that a user's short work may cause without waiting: a few milliseconds of work at once. */
const SHORT_PAUSE_MS = 40;
/** Above this size, checking the texts of a request, or parsing a form, takes milliseconds. */
export const LONG_BYTES = 262_144;

/** Returns whether work on the whole request would block the process, by its size or its number of values. */
export function isLongRequest({ body, form }: Pick<ClientRequest, 'body' | 'form'>): boolean {
  return body.length >= LONG_BYTES || (form === undefined && isLongJson(body));
}

/** Runs work on a whole request, at once if it is short. @throws what the work throws */
export async function runPaced<T>(
  executor: PacedExecutor,
  userId: number,
  request: Pick<ClientRequest, 'body' | 'form'>,
  work: () => T,
): Promise<T> {
  if (isLongRequest(request)) return executor.run(userId, work);
  return request.body.length < SHORT_BYTES ? work() : executor.runShort(userId, work);
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

interface WaitingUser {
  pieces: (() => void)[];
  /** Monotonic milliseconds. */
  pausedUntil: number;
}

/** @param timers real timers, because the pauses are for this process */
export function createPacedExecutor(timers: Timers): PacedExecutor {
  /** Users with work, and those whose pause has not ended. */
  const users = new Map<number, WaitingUser>();
  /** Monotonic milliseconds at which the pauses for a user's short work end. */
  const shortWork = createBoundedMap<number, number>(USERS_MAX);
  let gapUntil = 0;
  let isRunning = false;
  let timer: Timer | undefined;

  /** Runs the piece of the user whose pause ended first, or waits for that. */
  const runNext = (): void => {
    if (isRunning) return;
    timer?.close();
    timer = undefined;
    const now = performance.now();
    let next: WaitingUser | undefined;
    for (const [userId, user] of users) {
      if (user.pieces.length === 0) {
        if (user.pausedUntil <= now) users.delete(userId);
      } else if (next === undefined || user.pausedUntil < next.pausedUntil) next = user;
    }
    if (next === undefined) return;
    const waitMs = Math.max(gapUntil, next.pausedUntil) - now;
    if (waitMs <= 0) runPiece(next, now);
    else timer = timers.after(waitMs, runNext);
  };

  const runPiece = (user: WaitingUser, began: number): void => {
    isRunning = true;
    user.pieces.shift()?.();
    isRunning = false;
    const ended = performance.now();
    const took = ended - began;
    gapUntil = ended + Math.min(GAP_MAX_MS, (PERIOD_FACTOR - 1) * took);
    user.pausedUntil = ended + Math.min(PAUSE_MAX_MS * users.size, (PERIOD_FACTOR * users.size - 1) * took);
    timer = timers.after(gapUntil - ended, runNext);
  };

  const run = <T>(userId: number, work: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      const user = users.get(userId) ?? { pieces: [], pausedUntil: 0 };
      users.set(userId, user);
      user.pieces.push(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(error instanceof Error ? error : new Error('The work failed', { cause: error }));
        }
      });
      runNext();
    });

  return {
    run,
    runShort(userId, work) {
      const began = performance.now();
      const pausedUntil = Math.max(began, shortWork.get(userId) ?? 0);
      if (pausedUntil > began + SHORT_PAUSE_MS) return run(userId, work);
      try {
        return work();
      } finally {
        shortWork.set(userId, pausedUntil + PERIOD_FACTOR * (performance.now() - began));
      }
    },
  };
}
