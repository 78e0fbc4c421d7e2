/** Vendor that fails at a given moment of its first responses to a model, and responds normally afterwards. */
import { createServer, type ServerResponse } from 'node:http';
import { sleep, systemTimers } from '../../apps/server/src/platform/clock.ts';
import { listen } from '../listen.ts';

/** Moment of the failure. `refused`: with HTTP 500, before anything else. */
export type FailurePoint =
  | 'after-connect'
  | 'after-headers'
  | 'after-first-token'
  | 'after-usage'
  | 'after-end'
  | 'refused';

export interface FaultyUpstream {
  url: string;
  /** Received requests by model. */
  requestCounts: Map<string, number>;
  /** Sets how the vendor responds for a model. */
  planFailures(model: string, moment: FailurePoint, failures: number): void;
  /** Delays the end of normal responses until `open`. */
  closeGate(): void;
  readonly waitingAtGate: number;
  openGate(): void;
  close(): Promise<void>;
}

export const USAGE = { prompt_tokens: 2, completion_tokens: 10, total_tokens: 12 };
const WORDS = Array.from({ length: USAGE.completion_tokens }, (_, index) => `word${index} `);

export async function startFaultyUpstream(): Promise<FaultyUpstream> {
  const requestCounts = new Map<string, number>();
  const plans = new Map<string, { moment: FailurePoint; failures: number }>();
  let gate: { opened: Promise<void>; open: () => void } | undefined;
  let atGate = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const request: { model: string; stream?: boolean } = JSON.parse(Buffer.concat(chunks).toString());
      const nth = requestCounts.get(request.model) ?? 0;
      requestCounts.set(request.model, nth + 1);
      const { moment, failures } = plans.get(request.model) ?? { moment: 'refused', failures: 0 };
      const breaks = nth < failures ? moment : undefined;
      answer(response, request.stream === true, breaks).catch(() => response.destroy());
    });
  });

  async function answer(response: ServerResponse, stream: boolean, breaks: FailurePoint | undefined): Promise<void> {
    if (breaks === 'refused') return void response.writeHead(500).end('{"error":{"message":"no"}}');
    if (breaks === 'after-connect') return void response.destroy();
    response.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' });
    response.flushHeaders();
    const [first, middle, usage, end] = stream ? buildStreamParts() : buildResponseParts();
    if (breaks === 'after-headers') return cutConnection(response);
    response.write(first);
    if (breaks === 'after-first-token') return cutConnection(response);
    response.write(middle + usage);
    if (breaks === 'after-usage') return cutConnection(response);
    if (gate !== undefined) {
      atGate += 1;
      await gate.opened;
    }
    if (breaks === 'after-end') {
      response.write(end);
      return cutConnection(response);
    }
    response.end(end);
  }

  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    requestCounts: requestCounts,
    planFailures: (model, moment, failures) => void plans.set(model, { moment, failures }),
    closeGate() {
      let open = (): void => {};
      const opened = new Promise<void>((resolve) => {
        open = resolve;
      });
      gate = { opened, open };
      atGate = 0;
    },
    get waitingAtGate() {
      return atGate;
    },
    openGate() {
      gate?.open();
      gate = undefined;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Waits until written bytes have been sent. */
async function cutConnection(response: ServerResponse): Promise<void> {
  await sleep(systemTimers, 20);
  response.destroy();
}

type Parts = [first: string, middle: string, usage: string, end: string];

function buildStreamParts(): Parts {
  const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
  const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
  const content = (text: string): string => event({ ...head, choices: [{ index: 0, delta: { content: text } }] });
  const [first = '', ...others] = WORDS;
  const stop = event({ ...head, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
  const usage = event({ ...head, choices: [], usage: USAGE });
  return [content(first), others.map(content).join('') + stop, usage, 'data: [DONE]\n\n'];
}

function buildResponseParts(): Parts {
  const text = JSON.stringify({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: WORDS.join('') }, finish_reason: 'stop' }],
    usage: USAGE,
  });
  const middle = text.indexOf('word1');
  return [text.slice(0, middle), text.slice(middle, -2), text.slice(-2, -1), text.slice(-1)];
}
