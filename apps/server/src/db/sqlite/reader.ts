/** The main thread's side of the reading thread. */
import { Worker } from 'node:worker_threads';
import type { ReadAnswer, ReadRequest } from './read-worker.ts';
import type { Execute } from './sqlite-dialect.ts';

const DEADLINE_MS = 15_000;

export interface Reader {
  execute: Execute;
  close(): Promise<void>;
}

export function openReader(file: string): Reader {
  const worker = new Worker(new URL('./read-worker.ts', import.meta.url), {
    workerData: file,
    // The main thread's large young generation would be wasted here.
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  });
  const waiting = new Map<
    number,
    { resolve: (rows: unknown[]) => void; reject: (error: Error) => void; timer: NodeJS.Timeout }
  >();
  let lastId = 0;
  const finish = (id: number): ReturnType<typeof waiting.get> => {
    const entry = waiting.get(id);
    waiting.delete(id);
    if (entry !== undefined) clearTimeout(entry.timer);
    return entry;
  };
  worker.on('message', (answer: ReadAnswer) => {
    const entry = finish(answer.id);
    if ('rows' in answer) entry?.resolve(answer.rows);
    else entry?.reject(new Error(answer.error));
  });
  worker.on('error', (error) => {
    for (const id of waiting.keys()) finish(id)?.reject(error as Error);
  });
  worker.unref();
  return {
    async execute(sql, parameters) {
      const id = (lastId += 1);
      const rows = await new Promise<unknown[]>((resolve, reject) => {
        const timer = setTimeout(() => finish(id)?.reject(new Error('A report took too long')), DEADLINE_MS);
        waiting.set(id, { resolve, reject, timer });
        worker.postMessage({ id, sql, parameters } satisfies ReadRequest);
      });
      return { rows };
    },
    async close() {
      await worker.terminate();
    },
  };
}
