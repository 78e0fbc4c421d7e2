/**
 * Many small messages, events and lines, and responses with many list items: their cost is limited by their number, not
 * only by their bytes. Measures how long a small paying call takes beside each flood, compared with the same machine
 * without it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toFile } from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sleep, systemTimers } from '../../apps/server/src/platform/clock.ts';
import { buildRequestLine, CHAT_PATH, createBatchClient } from '../../apps/server/src/testing/batch-client.ts';
import { profile } from '../../packages/contract/src/accounts/profile.ts';
import { RATE_OF_USD_PER_MILLION } from '../../packages/contract/src/catalog/price-rates.ts';
import { prices, savePrice } from '../../packages/contract/src/catalog/prices.ts';
import { channels, createChannel } from '../../packages/contract/src/channels/channels.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../scripted-upstream/scripted-upstream.ts';
import { reportMeasurement, sampleUnlessLong } from '../tier.ts';
import { type Flood, startFlood, startFloodingUpstream } from './flood.ts';
import {
  createProductFolder,
  type ProductFolder,
  type ProductProcess,
  setUpProduct,
  startProduct,
} from './start-product.ts';

const CALLS = 40;
const ADDED_MAX_MS = 50;
const STREAMS = 4;
/** Concurrent batches of one user. */
const BATCHES = 3;
const DENSE_LINES = 20;
/** Fewer than a request may have, and enough to keep the process busy for tens of milliseconds. */
const LINE_VALUES = 800_000;
/** Every run tries other floods of events; there are twelve. */
const EVENTS_OF_A_DAY = 6;
/** Channel types: any server of OpenAI's dialects, Anthropic, Gemini. */
const CHANNELS = [
  [8, ['realtime-*', 'openai-*']],
  [14, ['claude-*']],
  [25, ['gemini-*']],
] as const;

let upstream: ScriptedUpstream;
let flooding: Awaited<ReturnType<typeof startFloodingUpstream>>;
let folder: ProductFolder;
let product: ProductProcess;
let key: string;
/** Durations without a flood. */
let usualMs: number;

beforeAll(async () => {
  upstream = await startScriptedUpstream();
  flooding = await startFloodingUpstream();
  folder = createProductFolder(mkdtempSync(join(tmpdir(), 'switchyard-many-small-')));
  product = await startProduct(folder);
  const site = await setUpProduct(product, folder, upstream.url, ['tokens-*']);
  ({ key } = site);
  const { group: symbol } = await site.root.api(profile).get();
  const rates = { input: RATE_OF_USD_PER_MILLION, output: RATE_OF_USD_PER_MILLION };
  for (const [type, models] of CHANNELS) {
    for (const model of models) await site.root.api(prices).create({ body: savePrice.parse({ model, rates }) });
    const channel = { name: `${type}`, type, base_url: flooding.url, key: 'k', models: [...models], group: [symbol] };
    await site.root.api(channels).create({ body: createChannel.parse(channel) });
  }
  for (let nth = 0; nth < CALLS; nth += 1) await callMs();
  usualMs = await medianMs();
});

afterAll(async () => {
  product.process.kill('SIGKILL');
  await product.exit;
  await flooding.close();
  await upstream.close();
  rmSync(folder.dataDir, { recursive: true, force: true });
});

async function callMs(): Promise<number> {
  const began = performance.now();
  const response = await fetch(`${product.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'tokens-2', messages: [{ role: 'user', content: 'two words' }] }),
  });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return performance.now() - began;
}

async function medianMs(): Promise<number> {
  const times: number[] = [];
  while (times.length < CALLS) {
    times.push(await callMs());
    await sleep(systemTimers, 10);
  }
  return times.toSorted((a, b) => a - b)[CALLS / 2] ?? 0;
}

const chat = (model: string) => ({
  model,
  stream: true,
  max_tokens: 100_000,
  messages: [{ role: 'user', content: 'a' }],
});
const stream = (path: string, body: object) =>
  ({ kind: 'requests', count: STREAMS, path, body: JSON.stringify(body) }) as const;
const geminiPath = (model: string) => `/v1beta/models/${model}:streamGenerateContent?alt=sse`;
const geminiBody = { contents: [{ role: 'user', parts: [{ text: 'a' }] }] };

/** Events and responses with many list items, which cannot be processed in slices. */
const lists = [
  ['large events', 'gemini-large', true],
  ['large responses', 'gemini-whole', false],
] as const;

const floods: readonly (readonly [string, Omit<Flood, 'url' | 'key'>])[] = [
  ['messages of 1 client session', { kind: 'client-messages', count: 1 }],
  ['messages of 20 client sessions', { kind: 'client-messages', count: 20 }],
  ['long messages of 8 client sessions', { kind: 'dense-messages', count: 8 }],
  ['messages of an upstream in 1 session', { kind: 'upstream-messages', count: 1 }],
  ['messages of an upstream in 20 sessions', { kind: 'upstream-messages', count: 20 }],
  ['pings of 5 sessions', { kind: 'pings', count: 5 }],
  ...lists.flatMap(([what, model, isStream]) => [
    [`${what} for an OpenAI client`, stream('/v1/chat/completions', { ...chat(model), stream: isStream })] as const,
    [
      `${what} for a Gemini client`,
      stream(isStream ? geminiPath(model) : `/v1beta/models/${model}:generateContent`, geminiBody),
    ] as const,
  ]),
  ...sampleUnlessLong(
    ['openai-a', 'claude-a', 'gemini-a'].flatMap((model) => [
      [`events of ${model} for an OpenAI client`, stream('/v1/chat/completions', chat(model))] as const,
      [`events of ${model} for a Claude client`, stream('/v1/messages', chat(model))] as const,
      [`events of ${model} for a Gemini client`, stream(geminiPath(model), geminiBody)] as const,
      [
        `events of ${model} for a Responses client`,
        stream('/v1/responses', { model, stream: true, input: 'a' }),
      ] as const,
    ]),
    EVENTS_OF_A_DAY,
  ),
];

test.each(floods)('%s delay the calls of others by 50 ms at most', async (name, flood) => {
  const stop = startFlood({ ...flood, url: product.url, key });
  await sleep(systemTimers, 1_000);
  const ms = await medianMs().finally(stop);
  await sleep(systemTimers, 300);
  reportMeasurement('P40', `${name}: a small call takes ${ms.toFixed(0)} ms instead of ${usualMs.toFixed(0)} ms`);
  expect(ms - usualMs).toBeLessThan(ADDED_MAX_MS);
});

test('lines of batches with many values delay the calls of others by 50 ms at most', async () => {
  const { openai, waitUntilEnded } = createBatchClient(product.url, key);
  const values = `"stop":[${'1,'.repeat(LINE_VALUES)}1]`;
  const lines = Array.from({ length: DENSE_LINES }, (_, nth) =>
    JSON.stringify(buildRequestLine(String(nth), { model: 'tokens-2', stop: [] })).replace('"stop":[]', values),
  );
  const file = await openai.files.create({ file: await toFile(Buffer.from(lines.join('\n'))), purpose: 'batch' });
  const terms = { input_file_id: file.id, endpoint: CHAT_PATH, completion_window: '24h' } as const;
  const ids: string[] = [];
  while (ids.length < BATCHES) ids.push((await openai.batches.create(terms)).id);
  await sleep(systemTimers, 1_000);
  const ms = await medianMs();
  for (const id of ids) await openai.batches.cancel(id);
  for (const id of ids) expect(await waitUntilEnded(id)).toMatchObject({ status: 'cancelled' });
  const text = `a small call takes ${ms.toFixed(0)} ms instead of ${usualMs.toFixed(0)} ms`;
  reportMeasurement('P40', `lines of ${BATCHES} batches with many values: ${text}`);
  expect(ms - usualMs).toBeLessThan(ADDED_MAX_MS);
});
