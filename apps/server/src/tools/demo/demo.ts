/**
 * Demonstration with a month of simulated use and a simulated provider, in a separate data folder: `npm run demo`.
 * Delete ./data-demo to start over. With `DATABASE_URL`, and optionally `REDIS_URL`, it has three nodes.
 */

import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join, resolve } from 'node:path';
import { channelId } from '@switchyard/contract/ids';
import { z } from 'zod';
import { prepareFirstStart } from '../../accounts/set-up/set-up.ts';
import { type App, buildApp, listen, portOf } from '../../app.ts';
import { updateChannel } from '../../channels/registry/registry.ts';
import { type Config, ConfigError, readConfig } from '../../config.ts';
import type { Context } from '../../context.ts';
import type { RuntimeEnvironment } from '../../open-context.ts';
import { sleep, systemTimers, type Timers } from '../../platform/clock.ts';
import { createLog, createStdoutDestination } from '../../platform/log.ts';
import { createLogTail } from '../../platform/log-tail.ts';
import { loadMasterKey } from '../../platform/secrets/master-key.ts';
import { createSettableClock, DEMO_KEY, fillDemo } from './fill-demo.ts';
import {
  formatChatChunks,
  formatChatCompletion,
  formatEmbeddings,
  formatMessage,
  formatMessageEvents,
  formatModelList,
  type SimulatedAnswer,
} from './simulated-answers.ts';

const FOLDER = './data-demo';
const USERNAME = 'demo';

/** Returns the usual configuration, but never for real data. */
function demoConfig(password: string): Config {
  const config = readConfig();
  const { databaseUrl } = config;
  if (databaseUrl !== undefined && !new URL(databaseUrl).pathname.includes('demo'))
    throw new ConfigError(
      'DATABASE_URL: the demonstration uses only a database with "demo" in its name, such as switchyard_demo',
    );
  return {
    ...config,
    dataDir: resolve(FOLDER),
    masterKey: undefined,
    root: { username: USERNAME, password },
    logLevel: config.logLevel === 'info' ? 'warn' : config.logLevel,
    outboundAllow: [...config.outboundAllow, '127.0.0.1'],
  };
}

async function start(): Promise<void> {
  const password = randomBytes(9).toString('base64url');
  const config = demoConfig(password);
  const clock = createSettableClock();
  const provider = await startSimulatedProvider();
  const logTail = createLogTail();
  const log = createLog(config.logLevel, createStdoutDestination(), logTail);
  const app = await buildApp(config, { log, logTail, clock });
  await prepareFirstStart(app.ctx);
  const isNew = await isEmpty(app.ctx);
  if (isNew) {
    console.log('\n  Generating a month of usage …');
    await fillDemo(app.ctx, clock, provider.url);
  } else {
    await updateChannelUrls(app.ctx, provider.url);
  }
  await listen(app);
  const moreNodes = config.databaseUrl === undefined ? undefined : await startMoreNodes(config, portOf(app), { log });
  printSignIn(app, config, isNew ? password : undefined, moreNodes);
  stopOnSignals([app, provider, ...(moreNodes === undefined ? [] : [moreNodes])]);
}

async function isEmpty(ctx: Context): Promise<boolean> {
  const channel = await ctx.db.writer.selectFrom('channel').select('id').limit(1).executeTakeFirst();
  return channel === undefined;
}

/** Updates the address of the simulated provider, whose port differs in each process. */
async function updateChannelUrls(ctx: Context, url: string): Promise<void> {
  const channels = await ctx.db.writer
    .selectFrom('channel')
    .select(['id', 'base_url'])
    .where('deleted_time', 'is', null)
    .execute();
  for (const { id, base_url } of channels) {
    if (!base_url.startsWith('http://127.0.0.1:')) continue;
    const { pathname } = new URL(base_url);
    await updateChannel(ctx, { id: channelId.parse(id), base_url: url + pathname.replace(/\/$/, ''), key: DEMO_KEY });
  }
}

function printSignIn(app: App, config: Config, password: string | undefined, moreNodes: MoreNodes | undefined): void {
  const ports = [portOf(app), ...(moreNodes?.ports ?? [])];
  const places = ports.map((port) => `http://${config.host}:${port}`);
  console.log(`\n  The demonstration is at ${places.join(', ')}`);
  console.log(
    password === undefined
      ? `  Sign in as ${USERNAME} with the password that the first start printed, or delete ${FOLDER} to start over.\n`
      : `  Sign in as ${USERNAME} with the password ${password} (shown only now).\n`,
  );
}

function stopOnSignals(parts: readonly Pick<App | SimulatedProvider | MoreNodes, 'close'>[]): void {
  const stop = (): void => {
    Promise.all(parts.map((part) => part.close())).then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

start().catch((error: unknown) => {
  const message = error instanceof ConfigError ? `The environment is not valid:\n${error.message}` : error;
  console.error(message instanceof Error ? `The demonstration could not start: ${message.message}` : message);
  process.exit(1);
});

/** Further nodes of the demonstration on the following ports, each with a separate data folder. */

interface MoreNodes {
  ports: readonly number[];
  close(): Promise<void>;
}

const MORE = 2;

/** @param port of the first node, which has created the tables and the master key */
async function startMoreNodes(config: Config, port: number, world: RuntimeEnvironment): Promise<MoreNodes> {
  const masterKey = loadMasterKey(config).toString('base64');
  const ports = Array.from({ length: MORE }, (_, nth) => port + 1 + nth);
  const apps = await Promise.all(
    ports.map(async (own): Promise<App> => {
      const dataDir = join(config.dataDir, `node-${own}`);
      const app = await buildApp({ ...config, port: own, dataDir, masterKey }, world);
      await listen(app);
      return app;
    }),
  );
  return {
    ports,
    async close() {
      await Promise.all(apps.map((app) => app.close()));
    },
  };
}

/**
 * Simulated provider: answers OpenAI's and Anthropic's requests plausibly, and streams as fast as a person reads
 * aloud quickly. Listens on 127.0.0.1 only.
 */

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
