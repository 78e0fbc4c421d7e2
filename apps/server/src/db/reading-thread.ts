/** Thread for long reads, so that they do not block the relay: both of its sides. */
import { once } from 'node:events';
import { parentPort, Worker } from 'node:worker_threads';
import type { Timer, Timers } from '../platform/clock.ts';
import { registerThread } from '../platform/exit-with-sqlite-threads.ts';
import { getCurrentReader } from '../platform/http/caller.ts';
import { FairQueue } from '../platform/limits/fair-queue.ts';
import { getErrorMessage } from '../platform/log.ts';

const DEADLINE_MS = 15_000;

interface ThreadRequest<Work> {
  work: Work;
  /** Deadline on a clock that all threads share, in milliseconds; after it the response is ignored. */
  until: number;
}
/** `piece`: rows before the last ones, after which the thread waits for `MORE`. */
type ThreadResponse =
  | { result: unknown }
  | { piece: readonly unknown[] }
  | { error: string; code: string; errcode?: unknown };

/** Rows that this process takes from the thread within a few milliseconds. 100,000 at once would block it for long. */
const PIECE_ROWS = 500;
const MORE = 'more';

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
  /** Rows that have arrived. */
  rows: unknown[];
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
      if ('piece' in answer) {
        running?.rows.push(...answer.piece);
        setImmediate(() => begun.postMessage(MORE));
        return;
      }
      const pending = finish();
      if ('error' in answer) pending?.reject(new ReadingError(answer.error, answer.code, answer.errcode));
      else pending?.resolve(joinRows(pending.rows, answer.result));
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
        const pending: PendingRequest<Work> = { work, until, owner, rows: [], resolve, reject, timer };
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

const joinRows = (rows: readonly unknown[], last: unknown): unknown =>
  rows.length > 0 && Array.isArray(last) ? rows.concat(last) : last;

/** Sends the first rows of a long result in pieces. @returns the rest */
async function sendFirstRows(result: unknown): Promise<unknown> {
  if (!Array.isArray(result) || parentPort === null) return result;
  let sent = 0;
  for (; result.length - sent > PIECE_ROWS; sent += PIECE_ROWS) {
    const more = once(parentPort, 'message');
    parentPort.postMessage({ piece: result.slice(sent, sent + PIECE_ROWS) } satisfies ThreadResponse);
    await more;
  }
  return sent === 0 ? result : result.slice(sent);
}

/**
 * Answers requests within the thread.
 * @param answer whose second argument tells whether the deadline has passed
 */
export function serveThreadRequests<Work>(answer: (work: Work, isLate: () => boolean) => Promise<unknown>): void {
  parentPort?.on('message', async (request: ThreadRequest<Work> | typeof MORE) => {
    if (request === MORE) return;
    const { work, until } = request;
    try {
      const result = await sendFirstRows(await answer(work, () => stopwatchMs() >= until));
      parentPort?.postMessage({ result } satisfies ThreadResponse);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      const errcode = error instanceof Error && 'errcode' in error ? { errcode: error.errcode } : {};
      parentPort?.postMessage({ error: getErrorMessage(error), code, ...errcode } satisfies ThreadResponse);
    }
  });
}
