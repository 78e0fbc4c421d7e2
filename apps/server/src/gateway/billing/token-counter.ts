/**
 * Counts tokens in a worker thread. The thread starts with the first count and ends when idle: most gateways rarely
 * miss a usage report, and the vocabularies take 80 MB. The thread gets one slice of one text at a time. The queue
 * stays in this thread, which skips counts that are late; users alternate between slices, and counts for charges
 * precede counts for clients.
 */
import { Worker } from 'node:worker_threads';
import { sliceText, type TokenCounts, type TokenizerInput } from '@switchyard/relay';
import type { Timer, Timers } from '../../platform/clock.ts';
import { FairQueue } from '../../platform/limits/fair-queue.ts';
import { RelayError } from '../http/relay-error.ts';
import type { MemoryBudget, MemoryShare } from '../limits/memory-budget.ts';
import type { TextSlice } from './token-counter-worker.ts';

export interface TokenCounter {
  /** Resolves with undefined when the count is late, or when too many texts of the user are waiting. */
  count(countable: TokenizerInput, purpose: CountPurpose): Promise<TokenCounts | undefined>;
  close(): Promise<void>;
}

export interface CountPurpose {
  userId: number;
  /** True if a charge waits for the count. */
  isSettlement: boolean;
}

/** Includes the start of the thread. The charge and the end of the response wait for the count. */
const DEADLINE_MS = 3_000;
/** A slice takes milliseconds; the first one also loads the vocabulary. */
const SLICE_DEADLINE_MS = 10_000;
const IDLE_MS = 5 * 60_000;
/** Limits per user; above them, usage is estimated instead. */
const WAITING_MAX = 100;
const WAITING_BYTES_MAX = 8_388_608;
const BYTES_PER_CHARACTER = 2;

interface Job {
  owner: number;
  encoding: TokenizerInput['encoding'];
  slices: Iterator<Slice>;
  counts: TokenCounts;
  isOver: boolean;
  queue: FairQueue<Job>;
  finish(counts: TokenCounts | undefined): void;
}
interface Slice {
  of: keyof TokenCounts;
  text: string;
}

/** @param program of the thread */
export function createTokenCounter(
  timers: Timers,
  memory: Pick<MemoryBudget, 'open'>,
  program = new URL('./token-counter-worker.ts', import.meta.url),
): TokenCounter {
  const settlements = new FairQueue<Job>();
  const queue = new FairQueue<Job>();
  const jobs = new Set<Job>();
  const reserve = createReserve(memory);
  const thread = createThread(timers, program);
  let isBusy = false;

  const next = (): void => {
    const job = isBusy ? undefined : (settlements.next() ?? queue.next());
    if (job === undefined) return;
    const { value, done } = job.slices.next();
    if (done === true) {
      job.finish(job.counts);
      return next();
    }
    isBusy = true;
    thread.count({ encoding: job.encoding, text: value.text }, (tokens) => {
      isBusy = false;
      job.counts[value.of] += tokens ?? 0;
      if (tokens === undefined) job.finish(undefined);
      else if (!job.isOver) job.queue.putBack(job.owner, job);
      next();
    });
  };

  return {
    count(countable, { userId, isSettlement }) {
      const release = reserve(userId, countable);
      if (release === undefined) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        const job: Job = {
          owner: userId,
          encoding: countable.encoding,
          slices: slicesOf(countable),
          counts: { prompt: countable.nonTextTokens, answer: 0 },
          isOver: false,
          queue: isSettlement ? settlements : queue,
          finish(counts) {
            if (job.isOver) return;
            job.isOver = true;
            job.queue.remove(userId, job);
            jobs.delete(job);
            timer.close();
            release();
            resolve(counts);
          },
        };
        const timer = timers.after(DEADLINE_MS, () => job.finish(undefined));
        jobs.add(job);
        job.queue.add(userId, job);
        next();
      });
    },
    close() {
      for (const job of jobs) job.finish(undefined);
      return thread.end();
    },
  };
}

/**
 * Creates a worker that counts one slice at a time. The worker is terminated when a slice passes its deadline; the
 * next slice starts another worker.
 */
function createThread(timers: Timers, program: URL) {
  let worker: Worker | undefined;
  let idle: Timer | undefined;
  let running: { deadline: Timer; done: (tokens: number | undefined) => void } | undefined;

  const finish = (tokens: number | undefined): void => {
    const finished = running;
    running = undefined;
    finished?.deadline.close();
    finished?.done(tokens);
  };
  const end = async (): Promise<void> => {
    const ending = worker;
    worker = undefined;
    idle?.close();
    finish(undefined);
    await ending?.terminate();
  };
  const begin = (): Worker => {
    const begun = new Worker(program, { resourceLimits: { maxYoungGenerationSizeMb: 8 } });
    begun.on('message', (tokens: number) => {
      if (worker === begun) finish(tokens);
    });
    const lose = (): void => {
      if (worker === begun) void end();
    };
    begun.on('error', lose);
    begun.on('exit', lose);
    begun.unref();
    return begun;
  };
  return {
    end,
    /** @param done receives undefined when the slice could not be counted */
    count(slice: TextSlice, done: (tokens: number | undefined) => void): void {
      idle?.close();
      idle = timers.after(IDLE_MS, () => void end()).unref();
      try {
        worker ??= begin();
        worker.postMessage(slice);
      } catch {
        // The system grants no thread at the moment.
        queueMicrotask(() => done(undefined));
        return;
      }
      running = { done, deadline: timers.after(SLICE_DEADLINE_MS, () => void end()).unref() };
    },
  };
}

function* slicesOf({ prompt, answer }: TokenizerInput): Generator<Slice> {
  if (prompt !== '') for (const text of sliceText(prompt)) yield { of: 'prompt', text };
  if (answer !== '') for (const text of sliceText(answer)) yield { of: 'answer', text };
}

/**
 * Bounds the waiting texts per user and in memory. The returned function reserves room for a text and returns its
 * release, or undefined when there is no room.
 */
function createReserve(memory: Pick<MemoryBudget, 'open'>) {
  const waiting = new Map<number, { texts: number; bytes: number }>();
  return (userId: number, { prompt, answer }: TokenizerInput): (() => void) | undefined => {
    const bytes = (prompt.length + answer.length) * BYTES_PER_CHARACTER;
    const own = waiting.get(userId) ?? { texts: 0, bytes: 0 };
    if (own.texts >= WAITING_MAX || own.bytes + bytes > WAITING_BYTES_MAX) return undefined;
    const share = memory.open(userId);
    if (!hasRoom(share, bytes)) return undefined;
    waiting.set(userId, own);
    own.texts += 1;
    own.bytes += bytes;
    return () => {
      share.release();
      own.texts -= 1;
      own.bytes -= bytes;
      if (own.texts === 0) waiting.delete(userId);
    };
  };
}

function hasRoom(share: MemoryShare, bytes: number): boolean {
  try {
    share.grow(bytes);
    return true;
  } catch (error) {
    if (error instanceof RelayError) return false;
    throw error;
  }
}
