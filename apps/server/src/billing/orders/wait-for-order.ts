/** Lets a buyer's screen wait for changes of an order, so that it updates at once. */

import type { Context } from '../../context.ts';
import { CONCURRENT_READS_MAX } from '../../platform/http/mount-routes.ts';

const WAIT_MS = 25_000;
/**
 * Maximum number of open waits of one buyer; further ones return at once. One slot is left for the buyer's other reads.
 */
const WAITS_MAX = CONCURRENT_READS_MAX - 1;

export interface OrderWatch {
  /** Resolves on a change, a timeout, or the client's disconnect. */
  waitForChange(userId: number, orderId: number, gone: AbortSignal): Promise<void>;
}

export function createOrderWatch(ctx: Context): OrderWatch {
  const waiting = new Map<number, Set<() => void>>();
  const perUser = new Map<number, number>();
  ctx.changes.subscribe((change) => {
    if (change.topic === 'orders')
      for (const id of change.ids ?? [...waiting.keys()]) for (const wake of waiting.get(id) ?? []) wake();
  });
  return {
    async waitForChange(userId, orderId, gone) {
      const count = perUser.get(userId) ?? 0;
      if (count >= WAITS_MAX || gone.aborted) return;
      perUser.set(userId, count + 1);
      const wakers = waiting.get(orderId) ?? new Set();
      waiting.set(orderId, wakers);
      await new Promise<void>((resolve) => {
        const timer = ctx.clock.after(WAIT_MS, () => wake()).unref();
        const wake = (): void => {
          timer.close();
          gone.removeEventListener('abort', wake);
          wakers.delete(wake);
          if (wakers.size === 0) waiting.delete(orderId);
          resolve();
        };
        wakers.add(wake);
        gone.addEventListener('abort', wake, { once: true });
      });
      const left = (perUser.get(userId) ?? 1) - 1;
      if (left === 0) perUser.delete(userId);
      else perUser.set(userId, left);
    },
  };
}
