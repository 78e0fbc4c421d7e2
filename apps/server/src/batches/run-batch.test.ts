/** What becomes of batches when something happens while they run. */
import { readdirSync, readlinkSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { users } from '@switchyard/contract/accounts/users';
import { NANO_POINTS_PER_POINT as POINT, rates } from '@switchyard/contract/catalog/price-rates';
import { prices as priceList } from '@switchyard/contract/catalog/prices';
import { toPoints } from '@switchyard/contract/money';
import { toFile } from 'openai';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { nowSeconds } from '../platform/clock.ts';
import { AppError } from '../platform/http/app-error.ts';
import { buildRequestLine, buildRequestLines, CHAT_PATH, createBatchClient, toJsonl } from '../testing/batch-client.ts';
import { type BatchScene, type BatchUser, startBatchScene } from '../testing/batch-scene.ts';
import { fillStorage } from '../testing/reject-database-writes.ts';
import { setOptions } from '../testing/set-options.ts';
import { startTestVendor, type TestVendor } from '../testing/simulated-vendor.ts';
import { startTestApp } from '../testing/start-test-app.ts';
import { newBatchId } from './batch-files.ts';
import { removeOldBatches } from './batches.ts';

const MODEL = 'scripted-model';
const DAY_SECONDS = 86_400;
/** Concurrent lines; as many may be at the vendor when something happens. */
const LANES = 4;
/** Number of lines with a fast response while the others are slow. */
const QUICK = 4;

let shared: BatchScene;
/** The shared scene unless the test uses its own server. */
let scene: BatchScene;
let mine: BatchUser;

async function start(): Promise<BatchScene> {
  const started = await startBatchScene();
  await started.newChannel({});
  return started;
}
beforeAll(async () => {
  shared = await start();
});
afterAll(() => shared.close());
beforeEach(async () => {
  scene = shared;
  mine = await scene.newUser();
  scene.upstream.requests.length = 0;
});
afterEach(async () => {
  vi.restoreAllMocks();
  shared.upstream.setScript(undefined);
  await shared.removeBatches();
});

/** Another server for this test, whose clock it moves by days, or which it ends itself. */
async function useServerOfItsOwn(end = (own: BatchScene) => own.close()): Promise<void> {
  const own = await start();
  onTestFinished(() => end(own));
  scene = own;
  mine = await own.newUser();
}

/** Files in the folder of batches that this process has open, without those that close meanwhile. */
const openFiles = (): string[] =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(scene.folder) ? [path] : [];
    } catch {
      return [];
    }
  });
const requestCount = (): number => scene.upstream.requests.length;
/** Begins a batch of which a few lines are answered, and the others are on their way. */
async function submitSlow(count: number) {
  scene.upstream.setScript((_request, nth) => (nth < QUICK ? undefined : { firstByteMs: 200 }));
  const submitted = await mine.submit(toJsonl(buildRequestLines(count, MODEL)));
  await scene.eventually(() => expect(requestCount()).toBeGreaterThan(QUICK));
  return submitted;
}

/** Error of a full disk, for the given number of writes. */
async function fillDisk(writes: number): Promise<void> {
  const handle = await open(scene.dataDir);
  const files = Object.getPrototypeOf(handle) as Pick<FileHandle, 'write'>;
  await handle.close();
  const write = vi.spyOn(files, 'write');
  for (let nth = 0; nth < writes; nth += 1)
    write.mockRejectedValueOnce(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
}

describe('a file of requests that is gone', () => {
  test('lets its batch fail before anything is asked', async (context) => {
    if (scene.ctx.leases.isShared) context.skip('Another node may have it: the batch waits');
    const file = await mine.openai.files.create({
      file: await toFile(Buffer.from(toJsonl([buildRequestLine('a')])), 'in.jsonl'),
      purpose: 'batch',
    });
    await rm(join(scene.folder, file.id));
    const submitted = await mine.openai.batches.create({
      input_file_id: file.id,
      endpoint: CHAT_PATH,
      completion_window: '24h',
    });
    const batch = await mine.waitUntilEnded(submitted.id);
    expect(batch).toMatchObject({ status: 'failed', errors: { data: [{ code: 'file_not_found' }] } });
    expect(batch.failed_at).toBeGreaterThan(0);
    expect(requestCount()).toBe(0);
  });

  test('fails later, too, and keeps its responses', async () => {
    const submitted = await submitSlow(40);
    await rm(join(scene.folder, submitted.input_file_id));
    await mine.openai.batches.cancel(submitted.id);
    const batch = await mine.waitUntilEnded(submitted.id);
    expect(batch).toMatchObject({ status: 'failed', errors: { data: [{ code: 'file_not_found' }] } });
    expect((await mine.readLines(batch.output_file_id)).length).toBe(requestCount());
  });
});

test('reports a file whose content has been removed', async () => {
  const file = await mine.openai.files.create({ file: await toFile(Buffer.from('{}'), 'in.jsonl'), purpose: 'batch' });
  await rm(join(scene.folder, file.id));
  await expect(mine.openai.files.content(file.id)).rejects.toMatchObject({ status: 404 });
  await mine.openai.files.delete(file.id);
});

describe('a full disk', () => {
  test('reports a full disk to the uploading client, and leaves no partial file', async () => {
    await fillDisk(1);
    const file = await toFile(
      Buffer.from(toJsonl(buildRequestLines(1_000, 'scripted+slow-first-byte-400'))),
      'in.jsonl',
    );
    await expect(mine.openai.files.create({ file, purpose: 'batch' })).rejects.toMatchObject({
      status: 507,
      code: 'storage_unavailable',
      message: expect.stringContaining('has no disk space for this file'),
    });
    expect(readdirSync(scene.folder)).toEqual([]);
    expect((await mine.openai.files.list()).data).toEqual([]);
    await mine.openai.files.create({ file, purpose: 'batch' });
  });

  test('lets a batch wait with its answers until there is room', async () => {
    const submitted = await mine.submit(toJsonl(buildRequestLines(3, MODEL)));
    await fillDisk(2);
    const batch = await mine.waitUntilEnded(submitted.id);
    expect(batch).toMatchObject({ status: 'completed', request_counts: { completed: 3 } });
    expect(requestCount()).toBe(3);
    const kept = [submitted.input_file_id, String(batch.output_file_id)];
    expect(readdirSync(scene.folder).toSorted()).toEqual(kept.toSorted());
    expect(openFiles()).toEqual([]);
    expect((await mine.readLines(batch.output_file_id)).length).toBe(3);
  });
});

test('holds a response until the database can store it, and sends its line once', async () => {
  const submitted = await mine.submit(toJsonl(buildRequestLines(1, 'scripted+slow-first-byte-200+tokens-5000')));
  await scene.eventually(() => expect(requestCount()).toBe(1));
  const makeRoom = await fillStorage(scene.ctx.db);
  const failures = () => scene.log.filter((line) => line.includes('could not be stored yet')).length;
  await scene.eventually(() => expect(failures()).toBeGreaterThan(1));
  await makeRoom();
  const batch = await mine.waitUntilEnded(submitted.id);
  expect(batch).toMatchObject({ status: 'completed', request_counts: { completed: 1 } });
  expect(requestCount()).toBe(1);
});

test('a batch stops with the account of its owner, and leaves nothing behind', async () => {
  await submitSlow(100);
  await scene.admin.api(users).remove({ params: { id: mine.user.id } });
  await scene.waitUntilSettled();
  const before = requestCount();
  for (let second = 0; second < 10; second += 1) await scene.step();
  await scene.waitUntilSettled();
  expect(requestCount()).toBeLessThanOrEqual(before + LANES);
  await removeOldBatches(scene.ctx);
  const { db } = scene.ctx;
  for (const table of ['batch', 'batch_file', 'batch_line'] as const)
    expect([table, await db.writer.selectFrom(table).selectAll().execute()]).toEqual([table, []]);
});

test('a draining server begins no line, and the next one continues', async () => {
  await useServerOfItsOwn((own) => own.upstream.close());
  const submitted = await submitSlow(24);
  // A running request that the drain waits for.
  const waiting = scene.chat('scripted+tokens-4+drip-200ms', { stream: true });
  const stream = (await waiting).text();
  const closing = scene.app.close();
  const before = requestCount();
  await stream;
  expect(requestCount()).toBeLessThanOrEqual(before + LANES);
  await closing;
  scene.upstream.setScript(undefined);
  const again = await startTestApp({ dataDir: scene.dataDir });
  onTestFinished(() => again.close());
  const batch = await createBatchClient(again.url, mine.key).waitUntilEnded(submitted.id);
  expect(batch).toMatchObject({ status: 'completed', request_counts: { total: 24, completed: 24 } });
});

test('a batch that has not ended after a day ends with its responses', async () => {
  await useServerOfItsOwn();
  const submitted = await submitSlow(40);
  expect(submitted.expires_at).toBe(submitted.created_at + DAY_SECONDS);
  scene.clock.jump(DAY_SECONDS);
  const batch = await mine.waitUntilEnded(submitted.id);
  expect(batch.status).toBe('expired');
  expect(batch.expired_at).toBeGreaterThanOrEqual(batch.expires_at ?? Infinity);
  const answered = await mine.readLines(batch.output_file_id);
  const missing = await mine.readLines(batch.error_file_id);
  expect(answered.length).toBe(requestCount());
  expect(new Set([...answered, ...missing].map(({ custom_id }) => custom_id)).size).toBe(40);
  expect(answered.length + missing.length).toBe(40);
  for (const line of missing) expect(line).toMatchObject({ response: null, error: { code: 'batch_expired' } });
});

test('a cancelled batch sends no more lines, and keeps running ones', async () => {
  const submitted = await submitSlow(40);
  await mine.openai.batches.cancel(submitted.id);
  const before = requestCount();
  const batch = await mine.waitUntilEnded(submitted.id);
  expect(batch.status).toBe('cancelled');
  expect(batch.cancelled_at).toBeGreaterThanOrEqual(batch.cancelling_at ?? Infinity);
  expect(requestCount()).toBeLessThanOrEqual(before + LANES);
  expect((await mine.readLines(batch.output_file_id)).length).toBe(requestCount());
  expect((await mine.readLines(batch.error_file_id)).length).toBe(40 - requestCount());
});

test('a batch that is cancelled before its file is valid ends without reading it', async () => {
  const submitted = await mine.submit('{');
  expect(await mine.waitUntilEnded(submitted.id)).toMatchObject({ status: 'failed' });
  // As if the file had not been read yet.
  const unread = { status: 'cancelling', cancelling_at: submitted.created_at, ended_at: null, errors: null } as const;
  await scene.ctx.db.writer.updateTable('batch').set(unread).where('id', '=', submitted.id).execute();
  const batch = await mine.waitUntilEnded(submitted.id);
  expect(batch).toMatchObject({ status: 'cancelled', request_counts: { total: 0 }, error_file_id: null });
});

test('lines beyond a key’s limit fail with the reason; the others are served and charged', async () => {
  const plain = await scene.chat(MODEL, { messages: [{ role: 'user', content: '1' }] });
  const half = Math.ceil(Number(plain.headers.get('x-switchyard-points')) / 2);
  await setOptions(scene.ctx, { PreConsumedQuota: '0', BatchRequestsPerUser: '1' });
  onTestFinished(() => setOptions(scene.ctx, { PreConsumedQuota: '500', BatchRequestsPerUser: '4' }));
  const limited = { unlimited_quota: false, remain_quota: toPoints(40 * half) };
  const client = scene.createClient(await scene.newKey(limited, mine.user));
  const submitted = await client.submit(
    toJsonl(Array.from({ length: 60 }, (_, nth) => buildRequestLine(String(nth), { max_tokens: 10 }))),
  );
  const batch = await client.waitUntilEnded(submitted.id);
  expect(batch.status).toBe('completed');
  const answered = await client.readLines(batch.output_file_id);
  const refused = await client.readLines(batch.error_file_id);
  expect(answered.length).toBeGreaterThan(0);
  expect(refused.length).toBeGreaterThanOrEqual(20);
  expect(answered.length + refused.length).toBe(60);
  for (const { response } of refused)
    expect(response).toMatchObject({ status_code: 429, body: { error: { code: 'insufficient_quota' } } });
  await scene.waitUntilSettled();
  const paid = new Set((await mine.records()).filter(({ quota }) => quota > 0).map((one) => one.request_id));
  expect(answered.filter(({ response }) => !paid.has(response?.request_id ?? ''))).toEqual([]);
});

test('lines for which the balance has no long response beside the others wait for them', async () => {
  const user = await scene.createUser('user', { quota: 80_000 });
  const client = scene.createClient(await scene.newKey({ unlimited_quota: true }, user));
  const { id } = await client.submit(toJsonl(buildRequestLines(12, MODEL)));
  const ended = await client.waitUntilEnded(id);
  expect(ended.request_counts).toEqual({ total: 12, completed: 12, failed: 0 });
});

test('files of answers go when the client wanted it, earlier than others', async () => {
  const submitted = await mine.submit(toJsonl([buildRequestLine('a')]), {
    output_expires_after: { anchor: 'created_at', seconds: 3_600 },
  });
  const { output_file_id } = await mine.waitUntilEnded(submitted.id);
  const id = String(output_file_id);
  const file = await mine.openai.files.retrieve(id);
  expect(file.expires_at).toBe(file.created_at + 3_600);
  scene.clock.advance(3_601);
  await expect(mine.openai.files.content(id)).rejects.toMatchObject({ status: 404 });
  await removeOldBatches(scene.ctx);
  expect(readdirSync(scene.folder)).toEqual([submitted.input_file_id]);
});

test.each([{ anchor: 'created_at', seconds: 60 }, { anchor: 'now', seconds: 7_200 }, { seconds: '7200' }])(
  'an end of files that cannot be is refused: %j',
  async (output_expires_after) => {
    await expect(
      mine.submit(toJsonl([buildRequestLine('a')]), { output_expires_after: output_expires_after as never }),
    ).rejects.toMatchObject({ status: 400, param: 'output_expires_after' });
  },
);

test('old batches and their files go, those that run stay', async () => {
  await useServerOfItsOwn();
  const old = await mine.submit(toJsonl([buildRequestLine('a')]));
  await mine.waitUntilEnded(old.id);
  scene.clock.advance(31 * DAY_SECONDS);
  scene.upstream.requests.length = 0;
  const running = await submitSlow(12);
  await removeOldBatches(scene.ctx);
  expect((await mine.openai.batches.list()).data.map(({ id }) => id)).toEqual([running.id]);
  expect(readdirSync(scene.folder)).toEqual([running.input_file_id]);
  await expect(mine.openai.batches.retrieve(old.id)).rejects.toMatchObject({ status: 404 });
  expect((await mine.waitUntilEnded(running.id)).status).toBe('completed');
});

test('a line that its vendor postpones is sent again, and is charged once', async () => {
  scene.upstream.setScript((_request, nth) => (nth < 2 ? { status: 429, retryAfterSeconds: 1 } : undefined));
  const submitted = await mine.submit(toJsonl([buildRequestLine('a')]));
  const batch = await mine.waitUntilEnded(submitted.id);
  expect(batch.request_counts).toEqual({ total: 1, completed: 1, failed: 0 });
  await scene.waitUntilSettled();
  expect((await mine.records()).filter(({ quota }) => quota > 0).length).toBe(1);
});

test.each([
  ['stores no response, which would be free, of', 'a node that has lost the batch and its hold', 2],
  ['stores the charged response of', 'a node that has lost the batch', 1],
])('%s %s', async (_what, _node, requests) => {
  const { leases, ledger } = scene.ctx;
  const losses: AbortController[] = [];
  const releases: (() => Promise<void>)[] = [];
  const acquire = leases.acquire.bind(leases);
  vi.spyOn(leases, 'acquire').mockImplementation(async (names, also) => {
    const loss = new AbortController();
    losses.push(loss);
    const taken = await acquire(names, also);
    releases.push(...taken.map((lease) => () => lease.release()));
    return taken.map((lease) => ({ ...lease, lost: loss.signal, isHeld: () => !loss.signal.aborted }));
  });
  const settle = ledger.settle.bind(ledger);
  vi.spyOn(ledger, 'settle').mockImplementationOnce(async (requestId, charge, record) => {
    for (const loss of losses) loss.abort();
    // Another node may claim the batch from now on.
    await Promise.all(releases.map((release) => release()));
    if (requests === 1) return settle(requestId, charge, record);
    ledger.release(requestId);
  });
  const submitted = await mine.submit(toJsonl([buildRequestLine('a')]));
  const batch = await mine.waitUntilEnded(submitted.id);
  expect(batch.request_counts).toEqual({ total: 1, completed: 1, failed: 0 });
  await scene.waitUntilSettled();
  expect((await mine.records()).filter(({ quota }) => quota > 0).length).toBe(1);
  expect(requestCount()).toBe(requests);
});

const input = 'Say something.';
test.each([
  ['/v1/responses', { input }, { object: 'response' }],
  ['/v1/embeddings', { input }, { object: 'list' }],
  ['/v1/completions', { prompt: input }, { object: 'text_completion' }],
  ['/v1/moderations', { input }, { results: [{}] }],
] as const)('batches serve %s', async (endpoint, body, answer) => {
  const line = { custom_id: 'a', method: 'POST', url: endpoint, body: { model: MODEL, ...body } };
  const submitted = await mine.submit(toJsonl([line]), { endpoint });
  const batch = await mine.waitUntilEnded(submitted.id);
  expect(batch).toMatchObject({ status: 'completed', endpoint, request_counts: { completed: 1 } });
  const [answered] = await mine.readLines(batch.output_file_id);
  expect(answered).toMatchObject({ custom_id: 'a', response: { status_code: 200, body: answer } });
});

test('a line that was charged before a kill, without a response, is sent again for free', async () => {
  const charged = await scene.chat(MODEL, {}, mine.key);
  const request_id = String(charged.headers.get('x-request-id'));
  await scene.waitUntilSettled();
  const before = await mine.balance();
  const file = await mine.openai.files.create({
    file: await toFile(Buffer.from(toJsonl([buildRequestLine('paid'), buildRequestLine('new')])), 'in.jsonl'),
    purpose: 'batch',
  });
  const id = newBatchId('batch_');
  await leaveBehind(id, file.id, request_id);
  const batch = await mine.waitUntilEnded(id);
  const answered = await mine.readLines(batch.output_file_id);
  expect(answered.map(({ custom_id }) => custom_id)).toEqual(['paid', 'new']);
  await scene.waitUntilSettled();
  const quotas = (await mine.records()).slice(1).map(({ quota }) => quota);
  expect(quotas.toSorted((a, b) => a - b)).toEqual([0, before - (await mine.balance())]);
  expect(before - (await mine.balance())).toBeGreaterThan(0);
});

describe('a charged line with a search', () => {
  const model = 'seeker';
  const line = {
    custom_id: 'paid',
    method: 'POST',
    url: '/v1/responses',
    body: { model, input, tools: [{ type: 'web_search' }] },
  };
  let vendor: TestVendor;
  beforeAll(async () => {
    const search = { type: 'web_search_call', id: 'ws', status: 'completed', action: { type: 'search', query: 'a' } };
    const content = [{ type: 'output_text', text: 'Found it.', annotations: [] }];
    const output = [search, { type: 'message', id: 'm', role: 'assistant', status: 'completed', content }];
    const usage = { input_tokens: 10, output_tokens: 3, total_tokens: 13 };
    const json = { id: 'resp', object: 'response', status: 'completed', model, output, usage };
    // The vendor runs no batches.
    vendor = await startTestVendor({ 'POST /v1/responses': () => ({ json }) });
    await shared.newChannel({ type: 1, base_url: vendor.url, models: [model] });
    const prices = rates.parse({ input: POINT, output: POINT, webSearch: 5_000 * POINT });
    await shared.admin.api(priceList).create({ body: { model, rates: prices } });
  });
  afterAll(() => vendor.close());
  const listQuotas = async () => (await mine.records()).map(({ quota }) => quota);

  test('costs nothing again, its search included, after the process died', async () => {
    const charged = await scene.post(line.url, line.body, { key: mine.key });
    await charged.text();
    await scene.waitUntilSettled();
    const file = await mine.openai.files.create({
      file: await toFile(Buffer.from(toJsonl([line])), 'in.jsonl'),
      purpose: 'batch',
    });
    const id = newBatchId('batch_');
    await leaveBehind(id, file.id, String(charged.headers.get('x-request-id')), {
      endpoint: line.url,
      model,
      total: 1,
    });
    expect((await mine.waitUntilEnded(id)).request_counts).toMatchObject({ completed: 1 });
    await scene.waitUntilSettled();
    expect(await listQuotas()).toEqual([5_013, 0]);
  });

  test('costs nothing again after a temporary error', async () => {
    const { ledger } = scene.ctx;
    const settle = ledger.settle.bind(ledger);
    vi.spyOn(ledger, 'settle').mockImplementationOnce(async (...charge) => {
      await settle(...charge);
      throw new AppError('unavailable', 'The storage is away');
    });
    const { id } = await mine.submit(toJsonl([line]), { endpoint: '/v1/responses' });
    expect((await mine.waitUntilEnded(id)).request_counts).toMatchObject({ completed: 1 });
    await scene.waitUntilSettled();
    expect(await listQuotas()).toEqual([5_013, 0]);
  });

  test('gets 10 more calls at most, if all of these end in a temporary error', async () => {
    const { ledger } = scene.ctx;
    const settle = ledger.settle.bind(ledger);
    const failing = vi.spyOn(ledger, 'settle').mockImplementation(async (...charge) => {
      await settle(...charge);
      throw new AppError('unavailable', 'The storage is away');
    });
    onTestFinished(() => failing.mockRestore());
    vendor.asked.length = 0;
    const { id } = await mine.submit(toJsonl([line]), { endpoint: '/v1/responses' });
    expect((await mine.waitUntilEnded(id)).request_counts).toMatchObject({ failed: 1 });
    expect(vendor.asked.filter((asked) => asked.endsWith(line.url))).toHaveLength(11);
    await scene.waitUntilSettled();
    expect((await listQuotas()).toSorted((one, other) => other - one).slice(0, 2)).toEqual([5_013, 0]);
  });
});

/** A batch as a process leaves it that died when its first line had been charged. */
async function leaveBehind(
  id: string,
  input_file_id: string,
  request_id: string,
  lines = { endpoint: CHAT_PATH, model: MODEL, total: 2 },
): Promise<void> {
  const { db, clock } = scene.ctx;
  const now = nowSeconds(clock);
  const keys = db.writer.selectFrom('api_key').select(['id', 'user_id']);
  const key = await keys.where('user_id', '=', mine.user.id).executeTakeFirstOrThrow();
  await db.writer.transaction().execute(async (trx) => {
    await trx
      .insertInto('batch')
      .values({
        id,
        user_id: key.user_id,
        api_key_id: key.id,
        address: '127.0.0.1',
        ...lines,
        input_file_id,
        status: 'in_progress',
        completed: 0,
        failed: 0,
        created_at: now,
        in_progress_at: now,
        expires_at: now + DAY_SECONDS,
      })
      .execute();
    await trx.insertInto('batch_line').values({ batch_id: id, line: 1, request_id, is_error: 0 }).execute();
  });
}
