/** The thread that adds up calls, as often as it is needed anew. */
import type { SumSlices } from '../database.ts';
import { type ReadingThread, startReadingThread } from '../reading-thread.ts';
import type { SliceTask } from '../slices/slices.ts';

export interface Slices {
  sum: SumSlices;
  /** Ends what it is at; the next task gets another thread. */
  close(): Promise<void>;
}

/** Most nodes are never asked, so there is none until one is. @param deadlineMs of each task */
export function createSlices(url: string, deadlineMs?: number): Slices {
  let thread: ReadingThread<SliceTask> | undefined;
  const sum = (task: SliceTask): Promise<unknown> => {
    thread ??= startReadingThread(new URL('./slice-worker.ts', import.meta.url), url, deadlineMs);
    return thread.ask(task);
  };
  return {
    sum: sum as SumSlices,
    async close() {
      const closing = thread;
      thread = undefined;
      await closing?.close();
    },
  };
}
