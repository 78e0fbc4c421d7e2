/**
 * P23: batches take little memory: one with the largest file, from its upload to its output files, and many of one user
 * whose lines wait.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sleep, systemTimers } from '../../apps/server/src/platform/clock.ts';
import { buildRequestLine, CHAT_PATH, createBatchClient } from '../../apps/server/src/testing/batch-client.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../scripted-upstream/scripted-upstream.ts';
import { pickLong, reportMeasurement } from '../tier.ts';
import {
  createProductFolder,
  type ProductProcess,
  setUpProduct,
  startProduct,
  waitForStartJobs,
} from './start-product.ts';

const MB = 1_048_576;
const FILE_BYTES = 149 * MB;
const LINES = pickLong(300, 10_000);
const GROWN_MAX = 112 * MB;
const WAITING_BATCHES = 20;
/** Lines of a user that run concurrently. */
const LANES = 4;
const LONG_LINE_BYTES = 4 * MB;
/** Several times the memory of the running lines; all waiting lines would take more than 1 GB. */
const WAITING_GROWN_MAX = 256 * MB;
/** Time in which every batch has begun. */
const STARTED_MS = 120_000;
const WATCHED_MS = 8_000;

let upstream: ScriptedUpstream;
let dataDir: string;
let product: ProductProcess;
let key: string;

beforeAll(async () => {
  upstream = await startScriptedUpstream();
  dataDir = mkdtempSync(join(tmpdir(), 'switchyard-batch-memory-'));
  const folder = createProductFolder(dataDir);
  const flags = ['--max-semi-space-size=1', '--optimize-for-size'];
  product = await startProduct(folder, { flags });
  ({ key } = await setUpProduct(product, folder, upstream.url, ['scripted*']));
  await product.stop('SIGTERM');
  product = await startProduct(folder, { flags });
  await waitForStartJobs(product, folder);
});
afterAll(async () => {
  await product.stop('SIGKILL');
  await upstream.close();
  rmSync(dataDir, { recursive: true, force: true });
});

function residentBytes(): number {
  const status = readFileSync(`/proc/${product.process.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

/** Samples the memory until `look` ends. */
function watchMemory() {
  const before = residentBytes();
  let most = before;
  const looking = systemTimers.every(100, () => {
    most = Math.max(most, residentBytes());
    // The scripted vendor keeps every body in memory.
    upstream.requests.length = 0;
  });
  return {
    before,
    get most() {
      return most;
    },
    end: () => looking.close(),
  };
}

function* form(fileBytes: number, lines: number): Generator<string> {
  const part = (name: string) => `--form\r\ncontent-disposition: form-data; name="${name}"`;
  yield `${part('purpose')}\r\n\r\nbatch\r\n${part('file')}; filename="in.jsonl"\r\n\r\n`;
  const content = 'words '.repeat(Math.floor(fileBytes / lines / 6) - 40);
  for (let nth = 0; nth < lines; nth += 1)
    yield `${JSON.stringify(buildRequestLine(String(nth), { messages: [{ role: 'user', content }] }))}\n`;
  yield '\r\n--form--\r\n';
}

/** Generates the file while it is sent, so that this process does not hold it either. */
async function upload(fileBytes: number, lines: number): Promise<{ id: string; bytes: number }> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'multipart/form-data; boundary=form' };
  const call = request(`${product.url}/v1/files`, { method: 'POST', headers });
  const answer = new Promise<Readable>((resolve, reject) => call.on('response', resolve).on('error', reject));
  await pipeline(Readable.from(form(fileBytes, lines)), call);
  return JSON.parse(await text(await answer)) as { id: string; bytes: number };
}

test(`a batch of ${FILE_BYTES / MB} MB in ${LINES} lines takes little memory`, async () => {
  const { openai, waitUntilEnded, readLines } = createBatchClient(product.url, key);
  const memory = watchMemory();
  const file = await upload(FILE_BYTES, LINES);
  expect(file.bytes).toBeGreaterThan(0.98 * FILE_BYTES);
  const uploaded = memory.most;
  const { id } = await openai.batches.create({ input_file_id: file.id, endpoint: CHAT_PATH, completion_window: '24h' });
  const batch = await waitUntilEnded(id);
  memory.end();
  const { before, most } = memory;
  expect(batch.request_counts).toEqual({ total: LINES, completed: LINES, failed: 0 });
  expect((await readLines(batch.output_file_id)).length).toBe(LINES);
  reportMeasurement(
    'P23',
    `a batch of ${(file.bytes / MB).toFixed(0)} MB in ${LINES} lines: +${((uploaded - before) / MB).toFixed(0)} MB while it is uploaded, +${((most - before) / MB).toFixed(0)} MB at most (${(most / MB).toFixed(0)} MB resident)`,
  );
  expect(most - before).toBeLessThan(GROWN_MAX);
});

test(`${WAITING_BATCHES} batches with waiting lines of ${LONG_LINE_BYTES / MB} MB take little memory`, async () => {
  const { openai, waitUntilEnded } = createBatchClient(product.url, key);
  const input = await upload(LANES * LONG_LINE_BYTES, LANES);
  upstream.setScript(() => ({ status: 429, retryAfterSeconds: 30 }));
  const memory = watchMemory();
  const ids: string[] = [];
  for (let nth = 0; nth < WAITING_BATCHES; nth += 1) {
    const terms = { input_file_id: input.id, endpoint: CHAT_PATH, completion_window: '24h' } as const;
    ids.push((await openai.batches.create(terms)).id);
  }
  const readStatuses = () => Promise.all(ids.map(async (id) => (await openai.batches.retrieve(id)).status));
  const all = new Set(['in_progress']);
  await expect.poll(async () => new Set(await readStatuses()), { timeout: STARTED_MS }).toEqual(all);
  await sleep(systemTimers, WATCHED_MS);
  memory.end();
  expect(new Set(await readStatuses())).toEqual(all);
  for (const id of ids) await openai.batches.cancel(id);
  for (const id of ids) expect((await waitUntilEnded(id)).status).toBe('cancelled');
  const { before, most } = memory;
  reportMeasurement(
    'P23',
    `${WAITING_BATCHES} batches of one user, each with ${LANES} lines of ${LONG_LINE_BYTES / MB} MB that wait: +${((most - before) / MB).toFixed(0)} MB at most (${(most / MB).toFixed(0)} MB resident)`,
  );
  expect(most - before).toBeLessThan(WAITING_GROWN_MAX);
});
