import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface Flood {
  kind: 'client-messages' | 'dense-messages' | 'upstream-messages' | 'pings' | 'requests';
  /** Concurrent sessions or requests. */
  count: number;
  /** Address of the gateway. */
  url: string;
  key: string;
  /** Body of the requests. */
  path?: string;
  body?: string;
}

const worker = new URL('./flood-worker.ts', import.meta.url);

/** Starts an upstream that sends small events without pause. */
export async function startFloodingUpstream(): Promise<{ url: string; close(): Promise<void> }> {
  const thread = new Worker(worker);
  const [port] = await once(thread, 'message');
  return {
    url: `http://127.0.0.1:${String(port)}`,
    async close() {
      await thread.terminate();
    },
  };
}

/** @returns a function that stops the load */
export function startFlood(flood: Flood): () => Promise<void> {
  const thread = new Worker(worker, { workerData: flood });
  return async () => {
    await thread.terminate();
  };
}
