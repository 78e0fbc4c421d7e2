/**
 * A vendor without a model: answers OpenAI's and Anthropic's requests plausibly and streams at the speed of a person
 * reading aloud fast. Listens on 127.0.0.1 only.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { pause, systemTimers, type Timers } from '../../platform/clock.ts';
import {
  embeddings,
  message,
  messageEvents,
  modelList,
  type Said,
  whole,
  wholeEvents,
} from './simulated-answers.ts';
import { sayAbout } from './simulated-text.ts';

const FIRST_TOKEN_MS = 350;
const TOKEN_MS = 28;
const SLOWER = 6;

export interface SimulatedProvider {
  url: string;
  close(): Promise<void>;
}

const asked = z.looseObject({
  model: z.string().default('demo'),
  stream: z.boolean().default(false),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown().optional() })).default([]),
  input: z.union([z.string(), z.array(z.unknown())]).default(''),
  prompt: z.unknown().optional(),
});
type Asked = z.output<typeof asked>;

export async function startSimulatedProvider(timers = systemTimers): Promise<SimulatedProvider> {
  const server = createServer((request, response) => {
    answer(timers, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The simulated provider has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(timers: Timers, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? '').replace(/\?.*$/, '');
  const slower = path.startsWith('/slow/') ? SLOWER : 1;
  if (path.endsWith('/models')) return send(response, modelList());
  const body = asked.safeParse(await readJson(request));
  if (!body.success) return send(response, { error: { message: 'not a request' } }, 400);
  const { model, stream } = body.data;
  await pause(timers, FIRST_TOKEN_MS * slower);
  if (path.endsWith('/embeddings')) return send(response, embeddings(model, [body.data.input].flat()));
  const said = say(body.data);
  const anthropic = path.endsWith('/messages');
  if (!stream) return send(response, anthropic ? message(model, said) : whole(model, said));
  return streamOut(
    timers,
    response,
    anthropic ? messageEvents(model, said) : wholeEvents(model, said),
    TOKEN_MS * slower,
  );
}

function say({ messages, prompt }: Asked): Said {
  const question = JSON.stringify(messages.at(-1)?.content ?? prompt ?? '');
  const tokens = sayAbout(question).match(/\s*\S+/g) ?? [];
  return { tokens, inputTokens: Math.ceil(JSON.stringify([messages, prompt]).length / 4) };
}

async function streamOut(
  timers: Timers,
  response: ServerResponse,
  events: readonly string[],
  everyMs: number,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  for (const event of events) {
    if (response.destroyed) return;
    response.write(event);
    await pause(timers, everyMs);
  }
  response.end();
}

function send(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return undefined;
  }
}
