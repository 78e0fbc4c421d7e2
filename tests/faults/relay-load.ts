/** Clients that send requests without pause and keep the responses. */
import { setImmediate as turn } from 'node:timers/promises';
import { vi } from 'vitest';
import { sleep, systemTimers } from '../../apps/server/src/platform/clock.ts';
import { pick } from '../tier.ts';

export interface AnsweredRequest {
  requestId: string;
  /** Marker in the request, by which the upstream's record of it is found. */
  marker: string;
  /** Number of the request among those of its client. */
  index: number;
  client: number;
  /** Points by the price list for what the upstream reported; 0 for an error. */
  expected: number;
}

export interface Load {
  answered: AnsweredRequest[];
  /** Resolves when the product no longer responds. */
  ended: Promise<void>;
}

/** Load that continues until it is stopped, regardless of errors. */
export interface SteadyLoad {
  answered: AnsweredRequest[];
  /** Requests whose connection was interrupted. */
  broken: number;
  refused: string[];
  /** Milliseconds that a client waits between two requests. */
  betweenMs: number;
  /** Waits until each client has a response to a request that it sent after this call. */
  waitForNextResponses(): Promise<void>;
  /** Waits for running requests. */
  stop(): Promise<void>;
}

/** One US dollar for a million tokens is half a point per token; a call costs at least one point. */
function computePoints(inputTokens: number, outputTokens: number): number {
  return Math.max(1, Math.ceil((inputTokens + outputTokens) / 2));
}

const PROMPT_WORDS = 2;

/** Runs until the product is killed. @param round makes the markers of this load unique */
export function startLoad(url: string, key: string, clients: number, round: number): Load {
  const answered: AnsweredRequest[] = [];
  const client = async (index: number): Promise<void> => {
    for (let nth = 0; ; nth += 1) {
      const marker = `${round}-${index}-${nth}`;
      const answer = await relayOnce(url, key, marker, nth);
      if (answer === undefined) return;
      answered.push({ ...answer, marker, index: nth, client: index });
      await turn();
    }
  };
  const ended = Promise.all(Array.from({ length: clients }, (_, index) => client(index))).then(() => {});
  return { answered, ended };
}

const AFTER_REFUSAL_MS = 100;
/** Clients of a short run leave time to the other tests. */
const BETWEEN_MS = pick(10, 0);
const ANSWERED_AGAIN_MS = 60_000;

/** @param urls one for each client @param name makes the markers of this load unique */
export function startSteadyLoad(urls: readonly string[], key: string, name: string): SteadyLoad {
  let isStopping = false;
  const answers = urls.map(() => 0);
  const client = async (url: string, index: number): Promise<void> => {
    for (let nth = 0; !isStopping; nth += 1) {
      const marker = `${name}-${index}-${nth}`;
      try {
        const answer = await relayOnce(url, key, marker, nth);
        if (answer === undefined) load.broken += 1;
        else {
          load.answered.push({ ...answer, marker, index: nth, client: index });
          answers[index] = (answers[index] ?? 0) + 1;
        }
        if (load.betweenMs > 0) await sleep(systemTimers, load.betweenMs);
      } catch (error) {
        load.refused.push(String(error).slice(0, 200));
        await sleep(systemTimers, AFTER_REFUSAL_MS);
      }
    }
  };
  const load: SteadyLoad = {
    answered: [],
    broken: 0,
    refused: [],
    betweenMs: BETWEEN_MS,
    async waitForNextResponses() {
      // The next response of a client may belong to a request that was already sent.
      const enough = answers.map((count) => count + 2);
      await vi.waitUntil(() => answers.every((count, index) => count >= (enough[index] ?? 0)), {
        timeout: ANSWERED_AGAIN_MS,
        interval: 5,
      });
    },
    async stop() {
      isStopping = true;
      await ended;
    },
  };
  const ended = Promise.all(urls.map(client));
  return load;
}

/** Undefined if the product was killed before the response was complete. */
async function relayOnce(
  url: string,
  key: string,
  marker: string,
  nth: number,
): Promise<{ requestId: string; expected: number } | undefined> {
  const tokens = (nth * 37) % 90;
  const fails = nth % 11 === 10;
  const stream = nth % 3 === 1;
  try {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: fails ? 'status-400' : `tokens-${tokens}`,
        stream,
        messages: [{ role: 'user', content: `marker ${marker}` }],
      }),
    });
    const text = await response.text();
    if (response.status !== 200 && !fails) throw new Error(`HTTP ${response.status}: ${text}`);
    if (!fails && stream && !text.includes('data: [DONE]')) return undefined;
    const requestId = response.headers.get('x-request-id') ?? '';
    return { requestId, expected: fails ? 0 : computePoints(PROMPT_WORDS, tokens) };
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
