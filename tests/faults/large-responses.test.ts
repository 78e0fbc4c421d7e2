/**
 * P38: large responses share one memory budget. However many arrive at once, the process survives in 1 GB, each call
 * gets its response or 503 with `Retry-After`, no 503 is charged, and others' small calls continue.
 */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Batch } from 'openai/resources';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../apps/server/src/db/open-database.ts';
import { sleep, systemTimers } from '../../apps/server/src/platform/clock.ts';
import { buildRequestLine, createBatchClient, toJsonl } from '../../apps/server/src/testing/batch-client.ts';
import { ANTHROPIC, OPENAI_COMPATIBLE } from '../../apps/server/src/testing/relay-scene.ts';
import { createVisitor, signIn, type Visitor } from '../../apps/server/src/testing/visitor.ts';
import { apiKeys, createApiKey } from '../../packages/contract/src/accounts/api-keys.ts';
import { profile } from '../../packages/contract/src/accounts/profile.ts';
import { createUser, users } from '../../packages/contract/src/accounts/users.ts';
import { channels, createChannel } from '../../packages/contract/src/channels/channels.ts';
import { toPoints } from '../../packages/contract/src/money.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../scripted-upstream/scripted-upstream.ts';
import { openProductDatabase } from '../test-database.ts';
import { reportMeasurement } from '../tier.ts';
import { readChargesByRequest, waitUntilNoHolds } from './compare-charges.ts';
import { type CallResult, callOnce, type LargeCalls } from './large-calls.ts';
import { GEMINI_TEXTS } from './large-upstream.ts';
import {
  createProductFolder,
  type ProductFolder,
  type ProductProcess,
  setUpProduct,
  startProduct,
} from './start-product.ts';

const MB = 1_048_576;
const RESIDENT_MAX = 1_024 * MB;
/** A quarter of 1 GB, the default in a control group of that size. */
const BUDGET = 256 * MB;
const SMALL_CALL_MS = 200;
const CHAT = '/v1/chat/completions';
const EMBEDDINGS = '/v1/embeddings';
const BATCH_LINES = 12;
const RESPONSE_BYTES = 48 * MB;
/** Channel type of Google's API. */
const GEMINI = 25;
/** Channel type of OpenAI itself, which has the Responses API. */
const OPENAI = 1;

/** Vendor of large and small responses. */
let vendor: Worker;
let upstream: ScriptedUpstream;
let folder: ProductFolder;
let product: ProductProcess;
let db: Database;
/** API key of the small calls. */
let key: string;
let root: Visitor;
let group: string;

beforeAll(async () => {
  vendor = new Worker(new URL('./large-upstream.ts', import.meta.url));
  const [port] = await once(vendor, 'message');
  const url = `http://127.0.0.1:${Number(port)}`;
  folder = createProductFolder(mkdtempSync(join(tmpdir(), 'switchyard-large-')));
  product = await startProduct(folder, {
    flags: ['--max-semi-space-size=16', '--max-old-space-size=512'],
    variables: { RELAY_MEMORY_MAX: String(BUDGET) },
  });
  upstream = await startScriptedUpstream();
  const setUp = await setUpProduct(product, folder, upstream.url, ['scripted', 'large*']);
  ({ key, root } = setUp);
  ({ group } = await root.api(profile).get());
  for (const [type, model] of [
    [OPENAI_COMPATIBLE, 'large'],
    [OPENAI, 'large-gpt'],
    [ANTHROPIC, 'large-claude'],
    [GEMINI, 'large-gemini'],
  ] as const)
    await root
      .api(channels)
      .create({
        body: createChannel.parse({
          name: model,
          type,
          base_url: url,
          key: 'k',
          models: [model],
          group: [group],
          priority: 1,
        }),
      });
  db = await openProductDatabase(folder.dataDir);
});
afterAll(async () => {
  await db.close();
  await product.stop('SIGKILL');
  await vendor.terminate();
  await upstream.close();
  rmSync(folder.dataDir, { recursive: true, force: true });
});

/** Creates a key of a new user, because too many responses beyond a user's share of the memory block that user. */
async function newKey(username: string): Promise<string> {
  const password = 'a rather good one';
  const { id } = await root.api(users).create({ body: createUser.parse({ username, password, group }) });
  await root.api(users).changeQuota({ params: { id }, body: { quota: toPoints(1_000_000_000), remark: '' } });
  const user = createVisitor(product.url, await signIn(product.url, username, password));
  const created = await user
    .api(apiKeys)
    .create({ body: createApiKey.parse({ name: 'large', unlimited_quota: true }) });
  return created.key;
}

const smallBody = JSON.stringify({ model: 'scripted', messages: [{ role: 'user', content: 'x' }] });

async function smallCall(): Promise<{ status: number; ms: number }> {
  const begunAt = performance.now();
  const { status } = await callOnce({ url: product.url, path: CHAT, key, body: smallBody });
  return { status, ms: performance.now() - begunAt };
}

/** Makes the calls in a worker thread. Meanwhile, small calls are made one after the other. */
async function storm(asked: Omit<LargeCalls, 'url'>) {
  const clients = new Worker(new URL('./large-calls.ts', import.meta.url), {
    workerData: { ...asked, url: product.url } satisfies LargeCalls,
  });
  let calls: CallResult[] | undefined;
  clients.once('message', (outcomes: CallResult[]) => {
    calls = outcomes;
  });
  const small: { status: number; ms: number }[] = [];
  while (calls === undefined) {
    // oxlint-disable-next-line no-await-in-loop -- a user who waits for each response
    small.push(await smallCall());
    // oxlint-disable-next-line no-await-in-loop
    await sleep(systemTimers, 10);
  }
  return { calls, small };
}

/** @param what maximum so far, or current value */
function residentBytes(what: 'VmHWM' | 'VmRSS'): number {
  const status = readFileSync(`/proc/${product.process.pid}/status`, 'utf8');
  return Number(new RegExp(`${what}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024;
}

const messages = [{ role: 'user', content: 'x' }];
const storms = [
  ['40 responses of 48 MB with vectors', 40, '/v1/embeddings', { model: 'large', input: 'x' }],
  [
    '8 responses of 42 MB with vectors from Gemini to OpenAI',
    8,
    EMBEDDINGS,
    { model: 'large-gemini', input: Array.from({ length: GEMINI_TEXTS }, () => 'x'), encoding_format: 'base64' },
  ],
  ['40 responses with 10 images each', 40, '/v1/images/generations', { model: 'large', prompt: 'x', n: 10 }],
  ['20 streams of Chat', 20, CHAT, { model: 'large', stream: true, messages }],
  ['20 streams of Messages', 20, '/v1/messages', { model: 'large-claude', stream: true, max_tokens: 9, messages }],
  ['20 streams of Responses', 20, '/v1/responses', { model: 'large-gpt', stream: true, store: false, input: 'x' }],
  [
    '20 streams of Gemini',
    20,
    '/v1beta/models/large-gemini:streamGenerateContent?alt=sse',
    { contents: [{ role: 'user', parts: [{ text: 'x' }] }] },
  ],
  ['20 streams from Messages to Chat', 20, CHAT, { model: 'large-claude', stream: true, messages }],
] as const;

test.each(storms)('%s leave the process and small calls unharmed', async (name, count, path, body) => {
  for (let nth = 0; nth < 20; nth += 1) expect((await smallCall()).status).toBe(200);
  const largeKey = await newKey(`storm-${storms.findIndex(([one]) => one === name)}`);
  const { calls, small } = await storm({ key: largeKey, count, path, body: JSON.stringify(body) });
  const ms = small.map((one) => one.ms).toSorted((a, b) => a - b);
  const at = (part: number): number => ms[Math.floor(ms.length * part)] ?? 0;
  const served = calls.filter(({ status, isComplete }) => status === 200 && isComplete);
  const refused = calls.filter(({ status }) => status === 503);
  reportMeasurement(
    'P38',
    `${name}: ${served.length} served, ${refused.length} refused, ${(residentBytes('VmHWM') / MB).toFixed(0)} MB resident at most, small calls ${at(0.5).toFixed(0)} ms (p90 ${at(0.9).toFixed(0)} ms, at most ${ms.at(-1)?.toFixed(0)} ms of ${ms.length})`,
  );
  expect(product.process.exitCode).toBeNull();
  expect(served.length).toBeGreaterThan(0);
  expect(refused.every(({ retryAfter }) => retryAfter !== undefined)).toBe(true);
  expect(small.every(({ status }) => status === 200)).toBe(true);
  await waitUntilNoHolds(db);
  const charged = await readChargesByRequest(db);
  expect(refused.filter(({ requestId }) => charged.has(requestId))).toEqual([]);
  expect(served.filter(({ requestId }) => !charged.has(requestId))).toEqual([]);
  expect(residentBytes('VmHWM')).toBeLessThan(RESIDENT_MAX);
  expect(at(0.9)).toBeLessThan(SMALL_CALL_MS);
});

// Runs last, because its rows are removed for seconds after its end.
test(`a batch of ${BATCH_LINES} lines with responses of 48 MB harms neither the process nor small calls`, async () => {
  for (let nth = 0; nth < 20; nth += 1) await smallCall();
  const ownerKey = await newKey('batch-owner');
  const { openai, submit } = createBatchClient(product.url, ownerKey);
  const body = { model: 'large', input: 'x', messages: undefined };
  const lines = Array.from({ length: BATCH_LINES }, (_, nth) => buildRequestLine(`${nth}`, body, { url: EMBEDDINGS }));
  let batch = await submit(toJsonl(lines), { endpoint: EMBEDDINGS });
  const small: { status: number; ms: number }[] = [];
  let resident = 0;
  for (let nth = 0; !isEnded(batch); nth += 1) {
    small.push(await smallCall());
    resident = Math.max(resident, residentBytes('VmRSS'));
    await sleep(systemTimers, 10);
    if (nth % 20 === 0) batch = await openai.batches.retrieve(batch.id);
  }
  const ms = small.map((one) => one.ms).toSorted((a, b) => a - b);
  const at = (part: number): number => ms[Math.floor(ms.length * part)] ?? 0;
  reportMeasurement(
    'P38',
    `a batch of ${BATCH_LINES} lines with responses of 48 MB: ${(resident / MB).toFixed(0)} MB resident at most, small calls ${at(0.5).toFixed(0)} ms (p90 ${at(0.9).toFixed(0)} ms, at most ${ms.at(-1)?.toFixed(0)} ms of ${ms.length})`,
  );
  expect(product.process.exitCode).toBeNull();
  expect(batch.request_counts).toEqual({ total: BATCH_LINES, completed: BATCH_LINES, failed: 0 });
  expect(await countFileBytes(batch.output_file_id, ownerKey)).toBeGreaterThan(BATCH_LINES * RESPONSE_BYTES);
  expect(small.every(({ status }) => status === 200)).toBe(true);
  expect(resident).toBeLessThan(RESIDENT_MAX);
  expect(at(0.9)).toBeLessThan(SMALL_CALL_MS);
});

const isEnded = ({ status }: Batch): boolean => status === 'completed' || status === 'failed' || status === 'expired';

/** Reads a file of a batch, and discards it. */
async function countFileBytes(id: string | undefined, ownerKey: string): Promise<number> {
  const { body } = await fetch(`${product.url}/v1/files/${id}/content`, {
    headers: { authorization: `Bearer ${ownerKey}` },
  });
  let bytes = 0;
  for await (const piece of body ?? []) bytes += piece.length;
  return bytes;
}
