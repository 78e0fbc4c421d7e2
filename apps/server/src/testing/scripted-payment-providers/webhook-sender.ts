/** Sends webhooks like payment providers, with retries until they are acknowledged. */
import { sleep, systemTimers } from '../../platform/clock.ts';
import type { SentWebhook, WebhookDelivery, WebhookOptions } from './scripted-provider.ts';

const TRIES = 5;
const RETRY_MS = 50;
const DEADLINE_MS = 10_000;

export interface WebhookSender {
  send(webhooks: readonly SentWebhook[], options?: WebhookOptions): Promise<WebhookDelivery[]>;
  pause(): void;
  resume(order?: 'in-order' | 'reversed'): Promise<void>;
  /** Stops sending. */
  stop(): Promise<void>;
}

/** @param isRight whether a response acknowledges a webhook */
export function createWebhookSender(isRight: (status: number, text: string) => boolean): WebhookSender {
  const stopped = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  let waiting: (() => Promise<unknown>)[] | undefined;

  const sendOnce = async ({ method, url, headers, body }: SentWebhook) => {
    const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(DEADLINE_MS)]);
    const init = { method, headers, redirect: 'manual' as const, signal };
    const answer = await fetch(url, method === 'GET' ? init : { ...init, body: new Uint8Array(Buffer.from(body)) });
    return { status: answer.status, text: await answer.text() };
  };
  const deliver = async (
    webhook: SentWebhook,
    { delayMs = 0, tries = TRIES }: WebhookOptions,
  ): Promise<WebhookDelivery> => {
    const answers: WebhookDelivery['responses'] = [];
    await sleep(systemTimers, delayMs);
    for (let tried = 0; tried < tries && !stopped.signal.aborted; tried += 1) {
      if (tried > 0) await sleep(systemTimers, RETRY_MS * tried);
      const answer = await sendOnce(webhook).catch(() => ({ status: 0, text: '' }));
      answers.push(answer);
      if (isRight(answer.status, answer.text)) return { wasAcknowledged: true, responses: answers };
    }
    return { wasAcknowledged: false, responses: answers };
  };
  /** Runs a job, or queues it while webhooks are held. */
  const inTurn = (job: () => Promise<WebhookDelivery>): Promise<WebhookDelivery> => {
    if (waiting === undefined) return job();
    return new Promise((resolve, reject) => {
      waiting?.push(() => job().then(resolve, reject));
    });
  };

  return {
    async send(webhooks, options = {}) {
      const { copies = 1, mutate = (webhook: SentWebhook) => webhook } = options;
      const jobs = webhooks.flatMap((webhook) =>
        Array.from({ length: copies }, () => inTurn(() => deliver(mutate(webhook), options))),
      );
      const all = Promise.all(jobs);
      underWay.add(all);
      return all.finally(() => underWay.delete(all));
    },
    pause() {
      waiting ??= [];
    },
    async resume(order = 'in-order') {
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
