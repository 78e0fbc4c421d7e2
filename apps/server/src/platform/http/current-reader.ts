/** The user who reads: for queues far below a route, in which users alternate. */
import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<number>();

/** Runs what a user reads. */
export function runAsReader<T>(userId: number, work: () => Promise<T>): Promise<T> {
  return current.run(userId, work);
}

/** Returns the user who reads; undefined where the server itself does. */
export function getCurrentReader(): number | undefined {
  return current.getStore();
}
