/** Lets a buyer's screen wait for changes of an order, so that it updates at once. */

import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
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

const POLL_CONCURRENCY = 5;
/**
 * Limits slow providers: one that takes longer is polled no more in this run, so that it delays no other provider's
 * orders.
 */
const SLOW_MS = 5_000;
/** Seconds after which an item that was skipped for a slow provider is due again, behind those of other providers. */
const SKIPPED_DELAY = 60;

interface Poll {
  /** Moves the poll to `time` (UTC seconds), because it isn't sent in this run. It doesn't count as a poll. */
  postpone(time: number): Promise<unknown>;
  /**
   * Records the poll before it is sent, in case this process crashes on it.
   * @returns false if nothing is to be polled, because another node polls or the item was settled meanwhile
   */
  claim(): Promise<boolean>;
  poll(): Promise<void>;
}

/** Polls payment providers about many items, a few concurrently. */
export async function pollAll<T extends { processor_id: number }>(
  { clock }: Context,
  due: readonly T[],
  questionOf: (thing: T) => Poll,
): Promise<void> {
  const slow = new Set<number>();
  const poll = async (thing: T): Promise<void> => {
    const question = questionOf(thing);
    if (slow.has(thing.processor_id)) {
      await question.postpone(nowSeconds(clock) + SKIPPED_DELAY);
      return;
    }
    if (!(await question.claim())) return;
    const begun = clock.elapsed();
    await question.poll();
    if (clock.elapsed() - begun > SLOW_MS) slow.add(thing.processor_id);
  };
  for (let first = 0; first < due.length; first += POLL_CONCURRENCY)
    await Promise.all(due.slice(first, first + POLL_CONCURRENCY).map(poll));
}
