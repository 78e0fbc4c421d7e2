/** Keyed semaphore: limited concurrency per key; the rest waits in a queue, for a limited time. */

import type { Timers } from '../clock.ts';
import { AppError, formatRetryAdvice } from '../http/app-error.ts';

/**
 * Resolves when a slot of the lane is free, with a function that releases it.
 * @throws AppError `too-many-requests` when none becomes free in time
 */
export type AcquireSlot = (lane: number | string) => Promise<() => void>;

/** Maximum callers that wait in a lane; a further one is refused at once. */
const WAITING_MAX = 100;

/** @param refusal error message after the wait, without the advice when to retry */
export function createKeyedSemaphore(
  timers: Timers,
  atOnce: number,
  waitMs: number,
  refusal = `Only ${atOnce} of your requests may run at once.`,
): AcquireSlot {
  const running = new Map<number | string, number>();
  /** Waiting callers per lane, in order of arrival. */
  const waiting = new Map<number | string, Set<() => void>>();

  const refuse = (): AppError => {
    const retryAfterSeconds = Math.ceil(waitMs / 1000);
    return new AppError('too-many-requests', `${refusal} ${formatRetryAdvice(retryAfterSeconds)}`, {
      retryAfterSeconds,
    });
  };
  const waitForSlot = (lane: number | string): Promise<void> => {
    const now = running.get(lane) ?? 0;
    if (now < atOnce) {
      running.set(lane, now + 1);
      return Promise.resolve();
    }
    const others = waiting.get(lane) ?? new Set();
    if (others.size >= WAITING_MAX) return Promise.reject(refuse());
    waiting.set(lane, others);
    return new Promise((resolve, reject) => {
      const timer = timers.after(waitMs, () => {
        others.delete(begin);
        reject(refuse());
      });
      const begin = (): void => {
        timer.close();
        resolve();
      };
      others.add(begin);
    });
  };
  const releaseSlot = (lane: number | string): void => {
    const others = waiting.get(lane);
    const [next] = others ?? [];
    if (others !== undefined && next !== undefined) {
      others.delete(next);
      return next();
    }
    waiting.delete(lane);
    const left = (running.get(lane) ?? 0) - 1;
    if (left > 0) running.set(lane, left);
    else running.delete(lane);
  };
  return async (lane) => {
    await waitForSlot(lane);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      releaseSlot(lane);
    };
  };
}
