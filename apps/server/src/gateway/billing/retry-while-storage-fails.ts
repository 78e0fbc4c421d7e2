import { toUnavailable } from '../../ledger/ledger.ts';
import { sleep, type Timers } from '../../platform/clock.ts';
import { AppError } from '../../platform/http/app-error.ts';

/** 300 tries last five minutes, which is enough for a database failover. */
const TRIES_MAX = 300;
const RETRY_MS = 1_000;

/**
 * Retries work while the storage is unavailable, so that what a vendor has already accepted or delivered is not lost.
 * @param work must be safe to repeat: the storage may fail after it has written and before it confirms
 * @throws AppError `unavailable` when the storage stays unavailable; any other error at once
 */
export async function retryStorage<T>(timers: Timers, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (caught) {
      const error = toUnavailable(caught);
      const isAway = error instanceof AppError && error.code === 'unavailable';
      if (!isAway || tries === TRIES_MAX) throw error;
      await sleep(timers, RETRY_MS);
    }
  }
}
