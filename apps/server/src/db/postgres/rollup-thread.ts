/** Thread that computes analytics. It starts with the first query, which most nodes never get. */
import type { Timers } from '../../platform/clock.ts';
import type { SumRollups } from '../database-handle.ts';
import { createReadingThread } from '../reading-thread.ts';
import type { RollupTask } from '../rollups/run-rollup-queries.ts';

export interface RollupThread {
  sum: SumRollups;
  close: () => Promise<void>;
}

/** @param deadlineMs of each task */
export function createRollupThread(url: string, timers: Timers, deadlineMs?: number): RollupThread {
  const worker = new URL('./rollup-worker.ts', import.meta.url);
  const { run, close } = createReadingThread<RollupTask>(worker, url, timers, deadlineMs);
  return { sum: run as SumRollups, close };
}
