/**
 * P18: PostgreSQL and Redis are killed under load with three nodes, and restarted.
 * - Running streams end normally and are charged in full, once.
 * - New requests are refused at once, with the time to retry after.
 * - Every node serves soon after the database is back; nothing is lost or charged twice.
 * - An outage of Redis fails no request.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { verifyLedger } from '../../apps/server/src/ledger/ledger.ts';
import { sleep, systemTimers } from '../../apps/server/src/platform/clock.ts';
import { type RedisServer, startRedis } from '../../apps/server/src/testing/redis-server.ts';
import { apiKeys, createApiKey } from '../../packages/contract/src/accounts/api-keys.ts';
import { pick, reportMeasurement } from '../tier.ts';
import { findWrongCharges, waitUntilNoHolds } from './compare-charges.ts';
import { type NodesScene, startNodesScene, waitUntilAllRelay } from './nodes.ts';
import { type AnsweredRequest, startSteadyLoad } from './relay-load.ts';

const CYCLES = pick(1, 2, 20);
const CLIENTS_PER_NODE = 2;
const AWAY_MS = pick(1_000, 2_000);
/** Five seconds on an idle machine; `npm test` shares it. */
const BACK_MS = pick(20_000, 20_000, 5_000);
const REFUSAL_MS = pick(3_000, 3_000, 1_000);
/** Streams that begin before PostgreSQL is killed, and end after it is back or before. */
const STREAM_TOKENS = 40;
const STREAM_MODEL = `tokens-${STREAM_TOKENS}+drip-75ms`;

let redis: RedisServer | undefined;
let started: NodesScene | undefined;
let scene: NodesScene;
let key: string;

beforeAll(async () => {
  redis = await startRedis();
  started = await startNodesScene(redis === undefined ? {} : { REDIS_URL: redis.url });
  if (started === undefined) return;
  scene = started;
  // With limits, so that each request asks Redis; none is reached.
  const body = createApiKey.parse({ name: 'limited', unlimited_quota: true, api_rate: 100_000 });
  body.setting.limits.concurrency = 1_000;
  ({ key } = await scene.root.api(apiKeys).create({ body }));
  await waitUntilAllRelay(scene.nodes.products, key);
});
beforeEach((context) => {
  if (started === undefined) context.skip('PostgreSQL is not installed here');
});
afterAll(async () => {
  await started?.close();
  await redis?.close();
});

const startLoad = (name: string) =>
  startSteadyLoad(
    scene.nodes.products.flatMap(({ url }) => Array.from({ length: CLIENTS_PER_NODE }, () => url)),
    key,
    name,
  );

function ask(url: string, model: string, stream: boolean): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'two words' }] }),
  });
}

/** @throws if the stream does not end normally */
async function readStream(response: Response): Promise<AnsweredRequest> {
  const text = await response.text();
  if (!text.includes('data: [DONE]')) throw new Error(`A stream was cut: ${text.slice(-200)}`);
  const requestId = response.headers.get('x-request-id') ?? '';
  return { requestId, expected: (2 + STREAM_TOKENS) / 2, marker: '', index: 0, client: 0 };
}

interface Refusal {
  status: number;
  retryAfter: number;
  ms: number;
}

async function refusalOf(url: string): Promise<Refusal> {
  const from = performance.now();
  const response = await ask(url, 'tokens-1', false);
  await response.text();
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return { status: response.status, retryAfter, ms: performance.now() - from };
}

/** Milliseconds until a request gets a response. */
async function untilServed(url: string): Promise<number> {
  const from = performance.now();
  for (;;) {
    const response = await ask(url, 'tokens-1', false);
    await response.text();
    const ms = performance.now() - from;
    if (response.status === 200 || ms > BACK_MS) return ms;
    await sleep(systemTimers, 50);
  }
}

/** Outbox, with charges that were decided while the database was unavailable. */
const journals = (): string[] =>
  scene.nodes.products.flatMap((_, nth) =>
    readdirSync(join(scene.folder, `node-${nth}`)).filter((name) => name.startsWith('unwritten-ends')),
  );

async function booksAreRight(answered: readonly AnsweredRequest[]): Promise<void> {
  await expect.poll(journals, { interval: 250 }).toEqual([]);
  await waitUntilNoHolds(scene.db);
  expect(await findWrongCharges(scene.db, answered)).toEqual([]);
  expect((await verifyLedger(scene.db.writer)).problems).toEqual([]);
}

test(`PostgreSQL is killed ${CYCLES} times under load: streams end normally, and all nodes recover`, {
  timeout: CYCLES * 45_000 + 120_000,
}, async () => {
  const load = startLoad('postgres');
  const urls = scene.nodes.products.map(({ url }) => url);
  const streams: AnsweredRequest[] = [];
  const refusals: Refusal[] = [];
  let longest = 0;
  for (let cycle = 0; cycle < CYCLES; cycle += 1) {
    await load.waitForNextResponses();
    // A stream has begun when the head of its response has arrived.
    const begun = await Promise.all(urls.map((url) => ask(url, STREAM_MODEL, true)));
    const running = Promise.all(begun.map(readStream));
    // Interrupted streams are reported below.
    running.catch(() => {});
    await scene.postgres.crash();
    refusals.push(...(await Promise.all(urls.map(refusalOf))));
    await sleep(systemTimers, AWAY_MS);
    await scene.postgres.restart();
    longest = Math.max(longest, ...(await Promise.all(urls.map(untilServed))));
    streams.push(...(await running));
  }
  await load.stop();
  expect(refusals.filter(({ status, retryAfter }) => status !== 503 || !(retryAfter <= 1))).toEqual([]);
  expect(Math.max(...refusals.map(({ ms }) => ms))).toBeLessThan(REFUSAL_MS);
  expect(longest).toBeLessThan(BACK_MS);
  expect(load.broken).toBe(0);
  expect(load.refused.filter((why) => !why.startsWith('Error: HTTP 503'))).toEqual([]);
  expect(load.answered.length).toBeGreaterThan(CYCLES * urls.length * CLIENTS_PER_NODE);
  await booksAreRight([...load.answered, ...streams]);
  reportMeasurement(
    'P18',
    `PostgreSQL killed ${CYCLES} × for ${AWAY_MS / 1000} s under three nodes: ${streams.length} running streams ended whole, each charged once; ${load.answered.length} other answers, 0 points off; 503 within ${Math.ceil(Math.max(...refusals.map(({ ms }) => ms)))} ms; all nodes served ${(longest / 1000).toFixed(1)} s after it was back at the latest`,
  );
});

test(`Redis is killed and paused ${CYCLES} times under load: no request fails, and every charge is right`, {
  timeout: CYCLES * 30_000 + 120_000,
}, async ({ skip }) => {
  if (redis === undefined) return skip('Redis is not installed here');
  const load = startLoad('redis');
  for (let cycle = 0; cycle < CYCLES; cycle += 1) {
    await load.waitForNextResponses();
    await redis.stop();
    await sleep(systemTimers, AWAY_MS);
    await load.waitForNextResponses();
    await redis.start();
    await sleep(systemTimers, AWAY_MS);
    await load.waitForNextResponses();
    redis.hang();
    await sleep(systemTimers, AWAY_MS);
    await load.waitForNextResponses();
    redis.resume();
    await load.waitForNextResponses();
  }
  await load.stop();
  expect([load.refused, load.broken]).toEqual([[], 0]);
  await booksAreRight(load.answered);
  reportMeasurement(
    'P18',
    `Redis killed, empty and hung ${CYCLES} × under three nodes: ${load.answered.length} answers, 0 refused, 0 points off`,
  );
});
