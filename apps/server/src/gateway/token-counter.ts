/**
 * Counts tokens in a thread of its own, which starts with the first call that needs it and ends when none did for a
 * while: most gateways see a missing usage report rarely or never, and the vocabularies take 80 MB.
 */
import { Worker } from 'node:worker_threads';
import type { Countable, TokenCounts } from '@switchyard/relay';
import type { Timer, Timers } from '../platform/clock.ts';
import type { CountAnswer, CountRequest } from './token-counter-worker.ts';

export interface TokenCounter {
  /** Undefined when it could not be counted in time. */
  count(countable: Countable): Promise<TokenCounts | undefined>;
  close(): Promise<void>;
}

/** Includes the start of the thread. The charge, and with it the end of the client's answer, waits for this. */
const DEADLINE_MS = 3_000;
const IDLE_MS = 5 * 60_000;
/** Above this the thread is so far behind that an estimate serves better. */
const WAITING_MAX = 200;

export function createTokenCounter(timers: Timers): TokenCounter {
  const waiting = new Map<number, (counts: TokenCounts | undefined) => void>();
  let worker: Worker | undefined;
  let idle: Timer | undefined;
  let lastId = 0;

  const stop = async (): Promise<void> => {
    const stopping = worker;
    worker = undefined;
    idle?.close();
    for (const resolve of waiting.values()) resolve(undefined);
    await stopping?.terminate();
  };

  const running = (): Worker => {
    idle?.close();
    idle = timers.after(IDLE_MS, () => void stop()).unref();
    if (worker !== undefined) return worker;
    const started = new Worker(new URL('./token-counter-worker.ts', import.meta.url), {
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    });
    started.on('message', ({ id, ...counts }: CountAnswer) => waiting.get(id)?.(counts));
    started.on('error', () => {
      if (worker === started) void stop();
    });
    started.unref();
    worker = started;
    return started;
  };

  return {
    count(countable) {
      if (waiting.size >= WAITING_MAX) return Promise.resolve(undefined);
      const id = (lastId += 1);
      return new Promise((resolve) => {
        const finish = (counts: TokenCounts | undefined): void => {
          waiting.delete(id);
          timer.close();
          resolve(counts);
        };
        const timer = timers.after(DEADLINE_MS, () => finish(undefined));
        waiting.set(id, finish);
        running().postMessage({ id, countable } satisfies CountRequest);
      });
    },
    close: stop,
  };
}
