/** The thread that adds up calls. Most nodes are never asked. */
import type { Timers } from '../../platform/clock.ts';
import type { SumSlices } from '../database.ts';
import { createReadingThread } from '../reading-thread.ts';
import type { SliceTask } from '../slices/slices.ts';

export interface Slices {
  sum: SumSlices;
  close: () => Promise<void>;
}

/** @param deadlineMs of each task */
export function createSlices(url: string, timers: Timers, deadlineMs?: number): Slices {
  const worker = new URL('./slice-worker.ts', import.meta.url);
  const { ask, close } = createReadingThread<SliceTask>(worker, url, timers, deadlineMs);
  return { sum: ask as SumSlices, close };
}
