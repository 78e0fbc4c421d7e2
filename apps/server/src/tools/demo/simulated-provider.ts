/**
 * Simulated provider: answers OpenAI's and Anthropic's requests plausibly, and streams as fast as a person reads
 * aloud quickly. Listens on 127.0.0.1 only.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { sleep, systemTimers, type Timers } from '../../platform/clock.ts';
import {
  formatChatChunks,
  formatChatCompletion,
  formatEmbeddings,
  formatMessage,
  formatMessageEvents,
  formatModelList,
  type SimulatedAnswer,
} from './simulated-answers.ts';

const FIRST_TOKEN_MS = 350;
const TOKEN_MS = 28;
const SLOWER = 6;

export interface SimulatedProvider {
  url: string;
  close(): Promise<void>;
}

const chatRequest = z.looseObject({
  model: z.string().default('demo'),
  stream: z.boolean().default(false),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown().optional() })).default([]),
  input: z.union([z.string(), z.array(z.unknown())]).default(''),
  prompt: z.unknown().optional(),
});
type ChatRequest = z.output<typeof chatRequest>;

export async function startSimulatedProvider(timers = systemTimers): Promise<SimulatedProvider> {
  const server = createServer((request, response) => {
    handleRequest(timers, request, response).catch(() => response.destroy());
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

async function handleRequest(timers: Timers, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? '').replace(/\?.*$/, '');
  const slower = path.startsWith('/slow/') ? SLOWER : 1;
  if (path.endsWith('/models')) return send(response, formatModelList());
  const body = chatRequest.safeParse(await readJson(request));
  if (!body.success) return send(response, { error: { message: 'not a request' } }, 400);
  const { model, stream } = body.data;
  await sleep(timers, FIRST_TOKEN_MS * slower);
  if (path.endsWith('/embeddings')) return send(response, formatEmbeddings(model, [body.data.input].flat()));
  const answer = createAnswer(body.data);
  const anthropic = path.endsWith('/messages');
  if (!stream) return send(response, anthropic ? formatMessage(model, answer) : formatChatCompletion(model, answer));
  return streamOut(
    timers,
    response,
    anthropic ? formatMessageEvents(model, answer) : formatChatChunks(model, answer),
    TOKEN_MS * slower,
  );
}

function createAnswer({ messages, prompt }: ChatRequest): SimulatedAnswer {
  const question = JSON.stringify(messages.at(-1)?.content ?? prompt ?? '');
  const tokens = generateText(question).match(/\s*\S+/g) ?? [];
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
    await sleep(timers, everyMs);
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

/** Texts of the simulated provider. They only say that they are a simulation, at different lengths. */
const openings = [
  'This is the simulated model of the demonstration.',
  'No model produced this response: it is part of the demonstration.',
  'A simulated answer, streamed at the speed of a real one.',
];

const sentences = [
  'The request went through admission, a hold on the balance, and the choice of a channel.',
  'Its tokens are counted, priced once, and settled together with this record.',
  'Open the log screen to see the receipt and the attempts behind it.',
  'Add a channel with a real key to hear a real model instead.',
  'If a channel fails before the first word, another one is tried and only one charge is made.',
  'Streams use constant memory, and a client that disconnects early pays only for what was delivered.',
];

/** Returns the same text for the same question. */
function generateText(question: string): string {
  let hash = 7;
  for (const character of question) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  const opening = openings[hash % openings.length] ?? '';
  const count = 2 + (hash % (sentences.length - 2));
  const rest = Array.from({ length: count }, (_, index) => sentences[(hash + index) % sentences.length] ?? '');
  return [opening, ...rest].join(' ');
}
