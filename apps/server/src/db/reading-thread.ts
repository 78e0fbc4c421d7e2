/** A thread for what takes long to read, so that it does not stop the relay: both of its sides. */
import { parentPort, Worker } from 'node:worker_threads';
import type { Timer, Timers } from '../platform/clock.ts';
import { messageOf } from '../platform/message-of.ts';

const DEADLINE_MS = 15_000;

interface Asked<Work> {
  id: number;
  work: Work;
  /** By a stopwatch that all threads share; nobody waits for the answer after that. */
  until: number;
}
type Answer =
  | { id: number; result: unknown }
  | { id: number; error: string; code: string; errcode?: unknown };

const stopwatchMs = (): number => Number(process.hrtime.bigint() / 1_000_000n);

/** Of the thread, or of the database that it asked. */
class ReadingError extends Error {
  readonly code: string;
  /** SQLite's result code. */
  declare readonly errcode?: unknown;

  constructor(message: string, code: string, errcode?: unknown) {
    super(message);
    this.code = code;
    if (errcode !== undefined) this.errcode = errcode;
  }
}

export interface ReadingThread<Work> {
  ask: (work: Work) => Promise<unknown>;
  /** Ends what it is at; whoever asks afterwards gets another one. */
  close: () => Promise<void>;
}

/**
 * Begins with the first who asks, and anew after it died.
 * @param database its file or its address @param deadlineMs of each work
 */
export function createReadingThread<Work>(
  program: URL,
  database: string,
  timers: Timers,
  deadlineMs = DEADLINE_MS,
): ReadingThread<Work> {
  const waiting = new Map<
    number,
    { resolve: (result: unknown) => void; reject: (error: Error) => void; timer: Timer }
  >();
  let lastId = 0;
  const finish = (id: number): ReturnType<typeof waiting.get> => {
    const entry = waiting.get(id);
    waiting.delete(id);
    entry?.timer.close();
    return entry;
  };
  let worker: Worker | undefined;
  const failAll = (error: Error): void => {
    worker = undefined;
    for (const id of waiting.keys()) finish(id)?.reject(error);
  };
  const begin = (): Worker => {
    const begun = new Worker(program, {
      workerData: database,
      // The main thread's large young generation would be wasted here.
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    });
    begun.on('message', (answer: Answer) => {
      const entry = finish(answer.id);
      if ('error' in answer) entry?.reject(new ReadingError(answer.error, answer.code, answer.errcode));
      else entry?.resolve(answer.result);
    });
    begun.on('error', (error) => {
      if (worker === begun) failAll(error as Error);
    });
    begun.unref();
    return begun;
  };
  return {
    ask: (work) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        const id = lastId;
        const tooSlow = new ReadingError('A report took too long', 'too-slow');
        const timer = timers.after(deadlineMs, () => finish(id)?.reject(tooSlow));
        waiting.set(id, { resolve, reject, timer });
        worker ??= begin();
        worker.postMessage({ id, work, until: stopwatchMs() + deadlineMs } satisfies Asked<Work>);
      }),
    async close() {
      const closing = worker;
      failAll(new ReadingError('The thread was closed', 'closed'));
      await closing?.terminate();
    },
  };
}

/**
 * Within the thread: answers one after the other, and leaves out what nobody waits for any more.
 * @param answer whose second argument says that of its own work
 */
export function answerWork<Work>(answer: (work: Work, isLate: () => boolean) => Promise<unknown>): void {
  let last = Promise.resolve();
  parentPort?.on('message', ({ id, work, until }: Asked<Work>) => {
    const isLate = (): boolean => stopwatchMs() >= until;
    last = last.then(async () => {
      if (isLate()) return;
      try {
        parentPort?.postMessage({ id, result: await answer(work, isLate) } satisfies Answer);
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : '';
        const errcode = error instanceof Error && 'errcode' in error ? { errcode: error.errcode } : {};
        parentPort?.postMessage({ id, error: messageOf(error), code, ...errcode } satisfies Answer);
      }
    });
  });
}
