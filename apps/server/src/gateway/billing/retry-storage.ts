import { sleep, type Timers } from '../../platform/clock.ts';
import { AppError } from '../../platform/http/app-error.ts';

/** Five minutes: as long as a database takes to be replaced. */
const TRIES_MAX = 300;
const RETRY_MS = 1_000;

/**
 * Repeats work while the storage is away. It is for what a vendor has taken or delivered already, which must not be lost.
 * @param work may run again after it was written, when the storage broke off before it said so
 * @throws AppError `unavailable` when the storage stays away; any other error at once
 */
export async function retryStorage<T>(timers: Timers, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const isAway = error instanceof AppError && error.code === 'unavailable';
      if (!isAway || tries === TRIES_MAX) throw error;
      await sleep(timers, RETRY_MS);
    }
  }
}
