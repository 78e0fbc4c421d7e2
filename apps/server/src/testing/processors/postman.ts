/** Sends notices as payment companies do: again and again, until the right answer is heard. */
import { pause, systemTimers } from '../../platform/clock.ts';
import type { Delivery, NoticeOptions, SentNotice } from './scripted-processor.ts';

const TRIES = 5;
const PAUSE_MS = 50;
const DEADLINE_MS = 10_000;

export interface Postman {
  send(notices: readonly SentNotice[], options?: NoticeOptions): Promise<Delivery[]>;
  hold(): void;
  release(order?: 'in-order' | 'reversed'): Promise<void>;
  /** Sends nothing any more. */
  stop(): Promise<void>;
}

/** @param isRight whether an answer says that the notice was taken */
export function createPostman(isRight: (status: number, text: string) => boolean): Postman {
  const stopped = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  let waiting: (() => Promise<unknown>)[] | undefined;

  const sendOnce = async ({ method, url, headers, body }: SentNotice) => {
    const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(DEADLINE_MS)]);
    const init = { method, headers, redirect: 'manual' as const, signal };
    const answer = await fetch(
      url,
      method === 'GET' ? init : { ...init, body: new Uint8Array(Buffer.from(body)) },
    );
    return { status: answer.status, text: await answer.text() };
  };
  const deliver = async (
    notice: SentNotice,
    { delayMs = 0, tries = TRIES }: NoticeOptions,
  ): Promise<Delivery> => {
    const answers: Delivery['answers'] = [];
    await pause(systemTimers, delayMs);
    for (let tried = 0; tried < tries && !stopped.signal.aborted; tried += 1) {
      if (tried > 0) await pause(systemTimers, PAUSE_MS * tried);
      const answer = await sendOnce(notice).catch(() => ({ status: 0, text: '' }));
      answers.push(answer);
      if (isRight(answer.status, answer.text)) return { heard: true, answers };
    }
    return { heard: false, answers };
  };
  /** Not before `release`, when they are held. */
  const inTurn = (job: () => Promise<Delivery>): Promise<Delivery> => {
    if (waiting === undefined) return job();
    return new Promise((resolve, reject) => {
      waiting?.push(() => job().then(resolve, reject));
    });
  };

  return {
    async send(notices, options = {}) {
      const { copies = 1, mutate = (notice: SentNotice) => notice } = options;
      const jobs = notices.flatMap((notice) =>
        Array.from({ length: copies }, () => inTurn(() => deliver(mutate(notice), options))),
      );
      const all = Promise.all(jobs);
      underWay.add(all);
      return all.finally(() => underWay.delete(all));
    },
    hold() {
      waiting ??= [];
    },
    async release(order = 'in-order') {
      const jobs = waiting ?? [];
      waiting = undefined;
      for (const job of order === 'reversed' ? jobs.toReversed() : jobs) await job();
    },
    async stop() {
      stopped.abort();
      waiting = undefined;
      await Promise.allSettled(underWay);
    },
  };
}
