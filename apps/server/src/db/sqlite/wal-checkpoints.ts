/**
 * Copies SQLite's write-ahead log into the database in a thread, so that no commit waits for the disk. Under
 * continuous writes the log still grows; it restarts once all of it has been copied, for which writers wait a moment.
 */
import { stat } from 'node:fs/promises';
import type { Timers } from '../../platform/clock.ts';
import { startRepeating } from '../../platform/timeouts-and-intervals.ts';
import type { SqliteEngine } from '../database-handle.ts';
import { createReadingThread } from '../reading-thread.ts';
import type { CheckpointTask } from './wal-checkpoint-worker.ts';

const CHECK_MS = 250;
/** Minimum size of the file at which the thread is used. The file is never truncated, only overwritten. */
const FILE_MIN_BYTES = 16_000_000;
/** 16 MB. The first writer after a complete copy restarts the log and waits for the disk, so this must be rare. */
const PAGES_MIN = 4_000;
/** 32 MB. */
const PAGES_MAX = 8_000;

const worker = new URL('./wal-checkpoint-worker.ts', import.meta.url);

/** @returns a function that stops it */
export function startCheckpointing(
  { file, lock }: Pick<SqliteEngine, 'file' | 'lock'>,
  timers: Timers,
): () => Promise<void> {
  const thread = createReadingThread<CheckpointTask>(worker, file, timers);
  const pagesAfter = async (work: CheckpointTask): Promise<number> => Number(await thread.run(work));
  const copies = startRepeating(
    timers,
    CHECK_MS,
    async () => {
      const { size } = await stat(`${file}-wal`);
      if (size < FILE_MIN_BYTES || (await pagesAfter('count')) < PAGES_MIN) return;
      if ((await pagesAfter('copy')) < PAGES_MAX) return;
      await lock.acquire();
      try {
        await pagesAfter('copy');
      } finally {
        lock.release();
      }
    },
    // The next run, or a writer once the log is too long, copies it instead.
    () => {},
  );
  return async () => {
    await copies.stop();
    await thread.close();
  };
}
