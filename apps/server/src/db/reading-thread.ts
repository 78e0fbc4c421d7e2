/** Thread for long reads, so that they do not block the relay: both of its sides. */
import { parentPort, Worker } from 'node:worker_threads';
import type { Timer, Timers } from '../platform/clock.ts';
import { getCurrentReader } from '../platform/http/caller.ts';
import { FairQueue } from '../platform/limits/fair-queue.ts';
import { getErrorMessage } from '../platform/log.ts';
import { registerThread } from '../platform/threads.ts';

const DEADLINE_MS = 15_000;

interface ThreadRequest<Work> {
  work: Work;
  /** Deadline on a clock that all threads share, in milliseconds; after it the response is ignored. */
  until: number;
}
type ThreadResponse = { result: unknown } | { error: string; code: string; errcode?: unknown };

const stopwatchMs = (): number => Number(process.hrtime.bigint() / 1_000_000n);

/** Error of the thread, or of its database. */
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
  run: (work: Work) => Promise<unknown>;
  /** Ends the running work. A later call starts another thread. */
  close: () => Promise<void>;
}

interface PendingRequest<Work> extends ThreadRequest<Work> {
  owner: number | undefined;
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
  timer: Timer;
}

/**
 * Creates a thread that starts with the first call, and again after it died. It gets one work at a time, so that the
 * queue can alternate between users and drop late work.
 * @param database its file or its address @param deadlineMs of each work
 */
export function createReadingThread<Work>(
  program: URL,
  database: string,
  timers: Timers,
  deadlineMs = DEADLINE_MS,
): ReadingThread<Work> {
  const all = new Set<PendingRequest<Work>>();
  const queue = new FairQueue<PendingRequest<Work>>();
  let running: PendingRequest<Work> | undefined;
  let worker: Worker | undefined;
  const removePending = (pending: PendingRequest<Work>): void => {
    all.delete(pending);
    queue.remove(pending.owner, pending);
    pending.timer.close();
  };
  const fail = (pending: PendingRequest<Work> | undefined, error: Error): void => {
    if (pending === undefined) return;
    removePending(pending);
    pending.reject(error);
  };
  /** Starts the next work. A thread that the system does not grant fails that work only. */
  const startNext = (): void => {
    for (let next = queue.next(); next !== undefined; next = queue.next()) {
      const { work, until } = next;
      running = next;
      try {
        worker ??= begin();
        worker.postMessage({ work, until } satisfies ThreadRequest<Work>);
        return;
      } catch (error) {
        finish()?.reject(new ReadingError(`No thread could be started: ${getErrorMessage(error)}`, 'not-started'));
      }
    }
  };
  /** Removes the running work and returns it. */
  const finish = (): PendingRequest<Work> | undefined => {
    const finished = running;
    running = undefined;
    if (finished !== undefined) removePending(finished);
    return finished;
  };
  const begin = (): Worker => {
    const begun = registerThread(
      new Worker(program, {
        workerData: database,
        // The main thread's large young generation would waste memory here.
        resourceLimits: { maxYoungGenerationSizeMb: 8 },
      }),
    );
    begun.on('message', (answer: ThreadResponse) => {
      if (worker !== begun) return;
      const pending = finish();
      if ('error' in answer) pending?.reject(new ReadingError(answer.error, answer.code, answer.errcode));
      else pending?.resolve(answer.result);
      startNext();
    });
    const replace = (error: Error): void => {
      if (worker !== begun) return;
      worker = undefined;
      finish()?.reject(error);
      startNext();
    };
    begun.on('error', (error) => replace(error as Error));
    begun.on('exit', () => replace(new ReadingError('The thread ended', 'ended')));
    begun.unref();
    return begun;
  };
  return {
    run: (work) =>
      new Promise((resolve, reject) => {
        const owner = getCurrentReader();
        const tooSlow = new ReadingError('A report took too long', 'too-slow');
        const timer = timers.after(deadlineMs, () => fail(pending, tooSlow));
        const until = stopwatchMs() + deadlineMs;
        const pending: PendingRequest<Work> = { work, until, owner, resolve, reject, timer };
        all.add(pending);
        queue.add(owner, pending);
        if (running === undefined) startNext();
      }),
    async close() {
      const closing = worker;
      worker = undefined;
      running = undefined;
      for (const pending of all) fail(pending, new ReadingError('The thread was closed', 'closed'));
      await closing?.terminate();
    },
  };
}

/**
 * Answers requests within the thread.
 * @param answer whose second argument tells whether the deadline has passed
 */
export function serveThreadRequests<Work>(answer: (work: Work, isLate: () => boolean) => Promise<unknown>): void {
  parentPort?.on('message', async ({ work, until }: ThreadRequest<Work>) => {
    try {
      const result = await answer(work, () => stopwatchMs() >= until);
      parentPort?.postMessage({ result } satisfies ThreadResponse);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      const errcode = error instanceof Error && 'errcode' in error ? { errcode: error.errcode } : {};
      parentPort?.postMessage({ error: getErrorMessage(error), code, ...errcode } satisfies ThreadResponse);
    }
  });
}
