/**
 * Batches: a client sends requests in a file and gets the responses in files within a day. Each request runs as if
 * its owner had sent it. https://platform.openai.com/docs/api-reference/batch
 */
import type { Context } from '../context.ts';
import type { Lease } from '../db/leases.ts';
import { sleep } from '../platform/clock.ts';
import { startRepeating } from '../platform/timeouts-and-intervals.ts';
import type { BatchRelay } from './batch-relay-interface.ts';
import {
  type BatchRow,
  beginCancel,
  type CheckNewBatch,
  findBatch,
  insertBatch,
  listOpenBatches,
  type NewBatch,
} from './batch-store.ts';
import { createBatchClaims, UserConcurrencyLimiter } from './claim-batches.ts';
import { runBatch } from './run-batch.ts';

export {
  type BatchFileRow,
  FILE_MAX_BYTES,
  FileMissingError,
  filePath,
  findFile,
  getRemainingFileBytes,
  listFilePage,
  MEGABYTE,
  openFile,
  removeFile,
} from './batch-files.ts';
export type { BatchRelay, LinePrice } from './batch-relay-interface.ts';
export {
  cancelVendorBatches,
  exportBatches,
  exportBatchFiles,
  removeOldBatches,
  removeUserBatches,
  removeUserEndedBatches,
} from './batch-retention.ts';
export { type BatchRow, countBatches, findBatch, listBatchPage, type NewBatch } from './batch-store.ts';
export { parseExpiresAfter, receiveFile } from './receive-file.ts';

export interface Batches {
  /** @param check runs in the transaction that inserts the batch */
  create(batch: NewBatch, check: CheckNewBatch): Promise<BatchRow>;
  /**
   * Cancels a batch, which ends once its running requests have ended. @returns undefined when it is no longer running
   */
  cancel(userId: number, id: string): Promise<BatchRow | undefined>;
  /** Starts no further work. */
  stop(): void;
  close(): Promise<void>;
}

const TICK_MS = 1_000;
/** Bounds of the delay before a batch that could not be read or written is retried; it grows with each failure. */
const RETRY_MIN_MS = 1_000;
const RETRY_MAX_MS = 60_000;

interface RunningBatch {
  userId: number;
  cancelled: AbortController;
  done: Promise<void>;
}

export function startBatches(ctx: Context, relay: BatchRelay): Batches {
  const concurrencyLimiter = new UserConcurrencyLimiter(() => ctx.settings.batchRequestsPerUser);
  const fileLimiter = new UserConcurrencyLimiter(() => 1);
  const collectionLimiter = new UserConcurrencyLimiter(() => 1);
  const claims = createBatchClaims(ctx);
  const running = new Map<string, RunningBatch>();
  /** Consecutive failures per batch. */
  const failures = new Map<string, number>();
  const stop = new AbortController();

  const start = (batch: BatchRow, lease: Lease): void => {
    const cancelled = new AbortController();
    if (batch.status === 'cancelling') cancelled.abort();
    const stopped = AbortSignal.any([stop.signal, lease.lost]);
    const ownsLease = (): boolean => !stopped.aborted && lease.isHeld();
    const limiters = { concurrencyLimiter, fileLimiter, collectionLimiter };
    const run = { relay, ...limiters, cancelled: cancelled.signal, stopped, ownsLease };
    const done = runBatch(ctx, batch, run)
      .then(() => void failures.delete(batch.id))
      .catch(async (error: unknown) => {
        if (!ownsLease()) return;
        ctx.log.error({ err: error, batch: batch.id }, 'a batch was interrupted and will be retried');
        const times = failures.get(batch.id) ?? 0;
        failures.set(batch.id, times + 1);
        const waitMs = Math.min(RETRY_MIN_MS * 2 ** times, RETRY_MAX_MS);
        await sleep(ctx.clock, waitMs, stopped).catch(() => undefined);
      })
      .finally(() => running.delete(batch.id));
    running.set(batch.id, { userId: batch.user_id, cancelled, done });
  };
  const claim = async (): Promise<void> => {
    const open = await listOpenBatches(ctx);
    for (const { id, status } of open) if (status === 'cancelling') running.get(id)?.cancelled.abort();
    for (const { batch, lease } of await claims.claim(open, (id) => running.has(id))) {
      const row = await findBatch(ctx, batch.user_id, batch.id);
      if (row?.ended_at === null && !stop.signal.aborted) start(row, lease);
    }
    const busy = new Set([...running.values()].map(({ userId }) => userId));
    await claims.releaseIdle((userId) => busy.has(userId));
  };
  const looks = startRepeating(ctx.clock, TICK_MS, claim, (error) =>
    ctx.log.error({ err: error }, 'the open batches could not be read'),
  );

  return {
    create: (batch, check) => insertBatch(ctx, batch, check),
    async cancel(userId, id) {
      const batch = await beginCancel(ctx, userId, id);
      if (batch !== undefined) running.get(id)?.cancelled.abort();
      return batch;
    },
    stop() {
      void looks.stop();
      stop.abort();
    },
    async close() {
      this.stop();
      await looks.stop();
      await Promise.all([...running.values()].map(({ done }) => done));
      await claims.releaseIdle(() => false);
    },
  };
}
