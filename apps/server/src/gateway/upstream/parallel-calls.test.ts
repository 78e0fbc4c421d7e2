import { rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { type RelayScene, removeShippedPrices, startRelayScene } from '../../testing/relay-scene.ts';
import { type Reply, startTestVendor, type TestVendor } from '../../testing/simulated-vendor.ts';

const VERTEX = 42;
const MODEL = 'gemini-embedding-2';
const NANO = 1_000_000_000;

let scene: RelayScene;
let vendor: TestVendor;
let texts: string[] = [];
let running = 0;
let mostAtOnce = 0;
let answer: (text: string) => Reply | Promise<Reply>;

const embedded = (text: string): Reply => ({
  json: {
    embedding: { values: [text.length, Number(text.split(' ')[1])] },
    usageMetadata: { promptTokenCount: 3, totalTokenCount: 3 },
  },
});

beforeAll(async () => {
  vendor = await startTestVendor({}, async (request) => {
    const body = JSON.parse(request.body) as { content: { parts: { text: string }[] } };
    const text = body.content.parts[0]?.text ?? '';
    texts.push(text);
    running += 1;
    mostAtOnce = Math.max(mostAtOnce, running);
    const reply = await answer(text);
    running -= 1;
    return reply;
  });
  scene = await startRelayScene();
  await removeShippedPrices(scene.admin, [MODEL]);
  await scene.admin.api(prices).create({ body: { model: MODEL, rates: rates.parse({ input: 10 * NANO, output: 0 }) } });
});
afterAll(async () => {
  await scene.close();
  await vendor.close();
});
beforeEach(async () => {
  await scene.reset();
  await scene.newChannel({ type: VERTEX, models: [MODEL], base_url: vendor.url, key: 'AIza-key' });
  texts = [];
  mostAtOnce = 0;
  answer = (text) => embedded(text);
});

const named = (count: number) => Array.from({ length: count }, (_, nth) => `text ${nth}`);
const embed = (input: unknown, more: object = {}) => scene.post('/v1/embeddings', { model: MODEL, input, ...more });

test('embeds each text by a separate call, in order, and charges everything that the vendor reported', async () => {
  const response = await embed(named(23));
  const body = (await response.json()) as { data: { index: number; embedding: number[] }[]; usage: unknown };
  expect(response.status).toBe(200);
  expect(body.data.map(({ index, embedding }) => [index, embedding[1]])).toEqual(named(23).map((_, nth) => [nth, nth]));
  expect(body.usage).toEqual({ prompt_tokens: 69, total_tokens: 69 });
  expect(texts.toSorted()).toEqual(named(23).toSorted());
  await scene.waitUntilSettled();
  expect(await scene.records()).toMatchObject([{ quota: 690, prompt_tokens: 69, usage_source: 'reported' }]);
});

test('at most four calls run concurrently', async () => {
  const gates: (() => void)[] = [];
  answer = async (text) => {
    const gate = Promise.withResolvers<void>();
    gates.push(gate.resolve);
    if (gates.length === 4) for (const open of gates.splice(0)) open();
    await gate.promise;
    return embedded(text);
  };
  expect((await embed(named(12))).status).toBe(200);
  expect(mostAtOnce).toBe(4);
});

test.each([
  ['a limit', { status: 429, json: { error: { code: 429, message: 'slow', status: 'RESOURCE_EXHAUSTED' } } }],
  ['a failure', { status: 500, json: { error: { code: 500, message: 'internal' } } }],
  ['an error in a 200', { json: { error: { code: 503, message: 'overloaded', status: 'UNAVAILABLE' } } }],
  ['an answer without a vector', { json: { embedding: { values: [] } } }],
  ['an answer that is no JSON', { text: '<html>' }],
  ['a lost connection', 'hang-up'],
] as const)('fails as a whole by %s of one call, and costs nothing', async (_why, reply) => {
  answer = (text) => (text === 'text 5' ? reply : embedded(text));
  const response = await embed(named(40));
  expect(response.status).toBeGreaterThanOrEqual(429);
  expect(texts.length).toBeLessThan(20);
  await scene.waitUntilSettled();
  expect((await scene.records()).map(({ quota }) => quota)).toEqual([0]);
});

test('asks another channel for all texts when one call fails', async () => {
  let failed = false;
  answer = (text) => {
    if (text !== 'text 1' || failed) return embedded(text);
    failed = true;
    return { status: 503, json: { error: { code: 503, message: 'overloaded' } } };
  };
  await scene.newChannel({ type: VERTEX, models: [MODEL], base_url: vendor.url, key: 'AIza-other' });
  const response = await embed(named(3));
  expect(response.status).toBe(200);
  await scene.waitUntilSettled();
  expect(await scene.records()).toMatchObject([{ quota: 90 }]);
});

test('makes no further call once the client has left', async () => {
  const leaving = new AbortController();
  const left = scene.waitForDisconnect();
  answer = () => {
    if (texts.length === 4) leaving.abort();
    return 'silence';
  };
  const sent = scene.post('/v1/embeddings', { model: MODEL, input: named(40) }, { signal: leaving.signal });
  await expect(sent).rejects.toThrow();
  await left;
  await scene.waitUntilSettled();
  expect(texts).toHaveLength(4);
});

test('refuses more texts than one answer holds before any call', async () => {
  expect((await embed(named(1_366))).status).toBe(400);
  expect(texts).toEqual([]);
});

test('counts requests that end because their user’s memory is used up, although the provider bills them', async () => {
  const small = await startRelayScene({ config: { relayMemoryMaxBytes: 200_000 } });
  onTestFinished(() => small.close());
  await small.newChannel({ type: VERTEX, models: [MODEL], base_url: vendor.url, key: 'AIza-key' });
  answer = (text) => ({ json: { embedding: { values: [text.length] }, padding: 'a'.repeat(100_000) } });
  const statusOf = async () => (await small.post('/v1/embeddings', { model: MODEL, input: named(4) })).status;
  for (let nth = 0; nth < 30; nth += 1) expect(await statusOf()).toBe(503);
  expect(await statusOf()).toBe(429);
});

test('texts that the vendor rejects after it has embedded others count as unpaid requests', async () => {
  const rejected = {
    status: 400,
    json: { error: { code: 400, message: 'Invalid content', status: 'INVALID_ARGUMENT' } },
  };
  answer = (text) => (text === 'text 8' ? rejected : embedded(text));
  for (let sent = 0; sent < 30; sent += 1) expect((await embed(named(9))).status).toBe(400);
  await scene.waitUntilSettled();
  expect((await embed(named(1))).status).toBe(429);
  scene.clock.advance(61);
  expect((await embed(named(1))).status).toBe(200);
});
