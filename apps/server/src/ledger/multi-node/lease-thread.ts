/** Worker thread that renews the lease of a node while its main thread's event loop is busy. */
import { createReadingThread } from '../../db/reading-thread.ts';
import type { Timers } from '../../platform/clock.ts';

export interface LeaseThread {
  /** Continues to renew the lease of this node for a while. */
  keep(nodeId: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts with the first `keep`. @param url of the database */
export function createLeaseThread(url: string, timers: Timers): LeaseThread {
  const worker = new URL('./lease-worker.ts', import.meta.url);
  const { run, close } = createReadingThread<number>(worker, url, timers);
  return {
    async keep(nodeId) {
      await run(nodeId);
    },
    close,
  };
}
