/** Batches that run at their vendor. */
import { readdirSync } from 'node:fs';
import { apiKeySetting, apiKeys } from '@switchyard/contract/accounts/api-keys';
import { profile } from '@switchyard/contract/accounts/profile';
import { userGroups } from '@switchyard/contract/accounts/user-groups';
import { changeQuota, users } from '@switchyard/contract/accounts/users';
import { prices, savePrice } from '@switchyard/contract/catalog/prices';
import { channels } from '@switchyard/contract/channels/channels';
import type { ApiKeyId, ChannelId } from '@switchyard/contract/ids';
import { contentSafety, safetyRuleForm } from '@switchyard/contract/operations/content-safety';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  type BatchVendor,
  type BatchVendorLine,
  type ScriptedBatch,
  startBatchVendor,
} from '../../../../tests/scripted-tasks/scripted-batches.ts';
import type { Config } from '../config.ts';
import { verifyLedger } from '../ledger/ledger.ts';
import { sleep, systemTimers } from '../platform/clock.ts';
import { buildRequestLine, buildRequestLines, createBatchClient, toJsonl } from '../testing/batch-client.ts';
import { type BatchScene, type BatchUser, startBatchScene } from '../testing/batch-scene.ts';
import { startTestApp } from '../testing/start-test-app.ts';
import { removeOldBatches } from './batches.ts';

const OPENAI = 1;
const MODEL = 'gpt-batch';
/** 1,000 tokens asked at 2 points and 2,000 answered at 4, at half the price. */
const LINE_POINTS = 5_000;
const NANO_POINTS = 1_000_000_000;

const price = savePrice.parse({ model: MODEL, rates: { input: 2 * NANO_POINTS, output: 4 * NANO_POINTS } });

let shared: BatchScene;
/** The shared scene unless the test uses its own server. */
let scene: BatchScene;
let vendor: BatchVendor;
let mine: BatchUser;
let channelId: ChannelId;

async function start(config?: Partial<Config>): Promise<BatchScene> {
  const started = await startBatchScene(config);
  await started.admin.api(prices).create({ body: price });
  return started;
}
async function addChannel(): Promise<void> {
  const id = await scene.newChannel({ type: OPENAI, base_url: vendor.url, models: [MODEL] });
  channelId = id as ChannelId;
}
beforeAll(async () => {
  [shared, vendor] = await Promise.all([start(), startBatchVendor()]);
});
afterAll(async () => {
  await shared.close();
  await vendor.close();
});
beforeEach(async () => {
  scene = shared;
  mine = await scene.newUser();
  await addChannel();
});
afterEach(async () => {
  await shared.removeBatches();
  const rules = await shared.admin.api(contentSafety).list();
  for (const { id } of rules) await shared.admin.api(contentSafety).remove({ params: { id } });
  await shared.ctx.db.writer.deleteFrom('stored_response').execute();
  if (scene === shared) await shared.admin.api(channels).remove({ params: { id: channelId } });
  vendor.resetReplies();
  vendor.asked.length = 0;
  vendor.singleRequests.length = 0;
  vendor.batches.clear();
  vendor.files.clear();
});

/** Another server for this test, whose clock it moves by days, or which it ends itself. */
async function useServerOfItsOwn(end = (own: BatchScene) => own.close(), config: Partial<Config> = {}): Promise<void> {
  await scene.admin.api(channels).remove({ params: { id: channelId } });
  const own = await start(config);
  onTestFinished(() => end(own));
  scene = own;
  mine = await own.newUser();
  await addChannel();
}

/** Confirms first, because the clock may have passed the last confirmation. */
async function addRule(rule: unknown): Promise<void> {
  const { admin } = scene;
  await admin.api(profile).stepUp({ body: { password: admin.password } });
  await admin.api(contentSafety).create({ body: safetyRuleForm.parse(rule) });
}

const lines = (count: number): string => toJsonl(buildRequestLines(count, MODEL));
const ordered = (): Promise<ScriptedBatch> => scene.eventually(() => vendor.getOnlyBatch());
const charges = async () => (await mine.records()).filter(({ type }) => type === 'consume');
const holds = () => scene.ctx.db.writer.selectFrom('hold').selectAll().execute();
const isClean = async (): Promise<void> => {
  await scene.eventually(async () => expect(await holds()).toEqual([]));
  expect((await verifyLedger(scene.ctx.db.writer)).problems).toEqual([]);
};

test('sends a batch as a whole and charges each response once, at the batch price', async () => {
  await scene.admin.api(channels).update({ body: { id: channelId, cost: { ratio: 1, models: {} } } });
  const before = await mine.balance();
  const submitted = await mine.submit(lines(5));
  const batch = await ordered();
  expect(batch).toMatchObject({ endpoint: '/v1/chat/completions' });
  expect(vendor.readLines(batch)).toHaveLength(5);
  expect(vendor.readLines(batch)[0]).toMatchObject({ url: '/v1/chat/completions', body: { model: MODEL } });
  expect(await holds()).toHaveLength(5);
  vendor.complete(batch);
  const ended = await mine.waitUntilEnded(submitted.id);
  expect(ended).toMatchObject({
    status: 'completed',
    request_counts: { total: 5, completed: 5, failed: 0 },
    error_file_id: null,
  });
  const answers = await mine.readLines(ended.output_file_id);
  expect(answers.map(({ custom_id }) => custom_id)).toEqual(['0', '1', '2', '3', '4']);
  expect(answers[3]?.response?.body).toMatchObject({ choices: [{ message: { content: 'You said 3' } }] });
  expect(vendor.singleRequests).toEqual([]);
  await isClean();
  const charged = await charges();
  expect(charged.map(({ quota }) => quota)).toEqual(Array.from({ length: 5 }, () => LINE_POINTS));
  expect(charged.map(({ cost }) => cost)).toEqual(Array.from({ length: 5 }, () => LINE_POINTS));
  expect(charged.every(({ channel_id }) => channel_id === channelId)).toBe(true);
  expect(await mine.balance()).toBe(before - 5 * LINE_POINTS);
  await scene.eventually(() => expect(vendor.files.size).toBe(0));
  expect(readdirSync(scene.folder)).toHaveLength(2);
});

test('collects the responses of one batch of a user at a time', async () => {
  const submitted = [await mine.submit(lines(1)), await mine.submit(lines(1))];
  await scene.eventually(() => expect(vendor.batches.size).toBe(2));
  let downloads = 0;
  let mostDownloads = 0;
  for (const batch of vendor.batches.values()) {
    vendor.complete(batch);
    const text = vendor.files.get(batch.output_file_id ?? '') ?? '';
    vendor.overrideReply(`GET /v1/files/${batch.output_file_id}/content`, async () => {
      downloads += 1;
      mostDownloads = Math.max(mostDownloads, downloads);
      // Longer than the interval of polls, so that the gateway also learns of the end of the other batch.
      for (let second = 0; second < 70; second += 1) await scene.step();
      downloads -= 1;
      return { text };
    });
  }
  for (const { id } of submitted)
    expect((await mine.waitUntilEnded(id)).request_counts).toEqual({ total: 1, completed: 1, failed: 0 });
  expect(mostDownloads).toBe(1);
  await isClean();
});

test('holds the owner’s points until the responses arrive', async () => {
  const quota = 60_000;
  const body = { max_tokens: 2_000 };
  const user = await scene.createUser('user', { quota });
  const key = await scene.newKey({ unlimited_quota: true }, user);
  const submitted = await scene
    .createClient(key)
    .submit(toJsonl(Array.from({ length: 20 }, (_, nth) => buildRequestLine(String(nth), { model: MODEL, ...body }))));
  const batch = await ordered();
  const sent = vendor.readLines(batch).length;
  expect(sent).toBeGreaterThan(5);
  expect(sent).toBeLessThan(20);
  expect(await scene.chat(MODEL, body, key)).toHaveProperty('status', 429);
  vendor.complete(batch);
  const ended = await scene.createClient(key).waitUntilEnded(submitted.id);
  expect(ended.request_counts).toEqual({ total: 20, completed: sent, failed: 20 - sent });
  expect(await scene.ctx.ledger.readAvailable(user.id)).toBe(quota - sent * LINE_POINTS);
  await isClean();
});

test('holds a long response for a line without an output limit', async () => {
  const requests = [{ model: MODEL }, { model: MODEL, max_tokens: 32_000 }, { model: MODEL, max_tokens: 1_000 }];
  await mine.submit(toJsonl(requests.map((body, nth) => buildRequestLine(String(nth), body))));
  vendor.complete(await ordered());
  const [usual = 0, unlimited = 0, long = 0] = (await holds()).map(({ amount }) => amount).toSorted((a, b) => a - b);
  expect(unlimited / long).toBeCloseTo(1, 2);
  expect(unlimited).toBeGreaterThan(20 * usual);
});

test('moderates and translates each line before it is sent', async () => {
  const rule = { kind: 'words', name: 'words', words: ['forbidden'], action: 'refuse' } as const;
  await addRule(rule);
  const model_mapping = { 'gpt-alias': MODEL };
  await scene.admin.api(channels).update({ body: { id: channelId, models: [MODEL, 'gpt-alias'], model_mapping } });
  const requestLines = ['hello', 'something forbidden'].map((said) => buildRequestLine(said, { model: 'gpt-alias' }));
  const submitted = await mine.submit(toJsonl(requestLines));
  const batch = await ordered();
  expect(vendor.readLines(batch).map(({ body }) => body)).toEqual([
    { model: MODEL, messages: [{ role: 'user', content: 'hello' }] },
  ]);
  vendor.complete(batch);
  const ended = await mine.waitUntilEnded(submitted.id);
  const [refused] = await mine.readLines(ended.error_file_id);
  expect(refused).toMatchObject({ custom_id: 'something forbidden', response: { status_code: 400 } });
  expect((await charges()).map(({ model }) => model)).toEqual(['gpt-alias']);
  await isClean();
});

test('lines that the vendor refuses or does not run cost nothing and have the reason', async () => {
  const submitted = await mine.submit(lines(6));
  const batch = await ordered();
  const how = ({ body }: BatchVendorLine) => {
    const nth = Number(body.messages.at(-1)?.content);
    return nth < 3 ? 'yes' : nth < 5 ? 'refused' : 'no';
  };
  vendor.complete(batch, how);
  const ended = await mine.waitUntilEnded(submitted.id);
  expect(ended).toMatchObject({ status: 'expired', request_counts: { total: 6, completed: 3, failed: 3 } });
  const errors = await mine.readLines(ended.error_file_id);
  expect(errors.map(({ response, error }) => response?.status_code ?? error?.code)).toEqual([
    400,
    400,
    'batch_expired',
  ]);
  expect(JSON.stringify(errors[0]?.response?.body)).toContain('That is not allowed');
  await isClean();
  expect((await charges()).map(({ quota }) => quota)).toEqual([LINE_POINTS, LINE_POINTS, LINE_POINTS]);
});

const noCredit = { status: 429, json: { error: { code: 'insufficient_quota' } } };

describe('a batch that the vendor refuses is sent line by line, at the price of single calls', () => {
  const refusals: [string, () => void][] = [
    ['a file', () => vendor.overrideReply('POST /v1/files', () => ({ status: 404, json: {} }))],
    [
      'a file, because it has no such call',
      () => vendor.overrideReply('POST /v1/files', () => ({ status: 501, json: {} })),
    ],
    ['a file, without credit', () => vendor.overrideReply('POST /v1/files', () => noCredit)],
    ['a file, by being away', () => vendor.overrideReply('POST /v1/files', () => 'hang-up')],
    ['an order', () => vendor.overrideReply('POST /v1/batches', () => ({ status: 400, json: {} }))],
    ['an order, without credit', () => vendor.overrideReply('POST /v1/batches', () => noCredit)],
    ['an order that it found wrong later', () => undefined],
  ];
  test.each(refusals)('%s', async (what, arrange) => {
    arrange();
    const submitted = await mine.submit(lines(3));
    if (what.endsWith('later')) (await ordered()).status = 'failed';
    const ended = await mine.waitUntilEnded(submitted.id);
    expect(ended).toMatchObject({ status: 'completed', request_counts: { completed: 3 } });
    expect(vendor.singleRequests).toHaveLength(3);
    await isClean();
    expect((await charges()).map(({ quota }) => quota)).toEqual([1, 2, 3].map(() => 2 * LINE_POINTS));
  });

  test('sends every line alone where the operator has set it', async () => {
    await scene.admin.api(channels).update({ body: { id: channelId, options: { batches: 'here' } } });
    await mine.waitUntilEnded((await mine.submit(lines(2))).id);
    expect(vendor.singleRequests).toHaveLength(2);
    expect(vendor.batches.size).toBe(0);
    expect((await charges()).map(({ quota }) => quota)).toEqual([LINE_POINTS, LINE_POINTS]);
  });
});

describe('a busy vendor gets the batch again, and no single line', () => {
  const faults = [
    ['POST /v1/files', 'hang-up'],
    ['POST /v1/files', 408],
    ['POST /v1/files', 429],
    ['POST /v1/files', 503],
    ['POST /v1/batches', 'hang-up'],
    ['POST /v1/batches', 408],
    ['POST /v1/batches', 429],
    ['POST /v1/batches', 503],
  ] as const;
  test.each(faults)('%s fails once by %s', async (call, fault) => {
    vendor.overrideReply(call, () => {
      vendor.resetReplies();
      return fault === 'hang-up' ? fault : { status: fault, json: {} };
    });
    const submitted = await mine.submit(lines(3));
    vendor.complete(await ordered());
    const ended = await mine.waitUntilEnded(submitted.id);
    expect(ended).toMatchObject({ status: 'completed', request_counts: { completed: 3 } });
    expect(vendor.singleRequests).toEqual([]);
    expect(vendor.batches.size).toBe(1);
    await isClean();
    expect((await charges()).map(({ quota }) => quota)).toEqual([LINE_POINTS, LINE_POINTS, LINE_POINTS]);
  });
});

test('lines that cannot be read keep no others from the vendor', async () => {
  const unreadable = [{ messages: 'no list' }, { n: 0, messages: [] }].map((body, nth) =>
    buildRequestLine(`unreadable ${nth}`, { model: MODEL, ...body }),
  );
  const submitted = await mine.submit(toJsonl([...unreadable, ...buildRequestLines(2, MODEL)]));
  const batch = await ordered();
  expect(vendor.readLines(batch)).toHaveLength(2);
  vendor.complete(batch);
  expect(await mine.waitUntilEnded(submitted.id)).toMatchObject({ request_counts: { completed: 2, failed: 2 } });
  expect(vendor.singleRequests).toEqual([]);
  await isClean();
});

test('runs at the vendor of whichever group of the token serves the model', async () => {
  const group = await scene.admin
    .api(userGroups)
    .create({ body: { symbol: 'without', name: 'Without channels', ratio: 1, api_rate: 0, public: true } });
  const key = await scene.newKey({ unlimited_quota: true, group: group.symbol, backup_group: 'default' });
  const client = scene.createClient(key);
  const submitted = await client.submit(lines(2));
  vendor.complete(await ordered());
  expect(await client.waitUntilEnded(submitted.id)).toMatchObject({ request_counts: { completed: 2 } });
  expect(vendor.singleRequests).toEqual([]);
  await isClean();
});

test('looks for a batch whose creation has an unknown outcome, and does not create it twice', async () => {
  let tries = 0;
  vendor.overrideReply('POST /v1/batches', async (request) => {
    tries += 1;
    vendor.resetReplies();
    await fetch(`${vendor.url}/v1/batches`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-upstream', 'content-type': 'application/json' },
      body: request.body,
    });
    return { status: 502, text: 'bad gateway' };
  });
  const submitted = await mine.submit(lines(2));
  vendor.complete(await ordered());
  expect(await mine.waitUntilEnded(submitted.id)).toMatchObject({
    status: 'completed',
    request_counts: { completed: 2 },
  });
  expect(tries).toBe(1);
  expect(vendor.batches.size).toBe(1);
  expect(vendor.singleRequests).toEqual([]);
  await isClean();
});

test('ends a cancelled batch at the vendor, and charges the responses that it has', async () => {
  const submitted = await mine.submit(lines(4));
  const batch = await ordered();
  await mine.openai.batches.cancel(submitted.id);
  await scene.eventually(() => expect(batch.status).toBe('cancelling'));
  vendor.complete(batch, ({ body }) => (body.messages.at(-1)?.content === '0' ? 'yes' : 'no'));
  const ended = await mine.waitUntilEnded(submitted.id);
  expect(ended).toMatchObject({ status: 'cancelled', request_counts: { completed: 1, failed: 3 } });
  await isClean();
  expect(await charges()).toHaveLength(1);
});

test('continues after a restart, and while it waits for the vendor', async () => {
  await useServerOfItsOwn((own) => own.upstream.close());
  const submitted = await mine.submit(lines(3));
  await ordered();
  await scene.app.close();
  const again = await startTestApp({ dataDir: scene.dataDir });
  onTestFinished(() => again.close());
  expect(await again.ctx.db.writer.selectFrom('hold').selectAll().execute()).toHaveLength(3);
  vendor.complete(vendor.getOnlyBatch());
  const client = createBatchClient(again.url, mine.key, async () => {
    again.clock.advance(1);
    await sleep(systemTimers, 10);
  });
  expect(await client.waitUntilEnded(submitted.id)).toMatchObject({
    status: 'completed',
    request_counts: { completed: 3 },
  });
  const records = await again.ctx.db.writer
    .selectFrom('usage_record')
    .selectAll()
    .where('type', '=', 'consume')
    .execute();
  expect(records.map(({ quota }) => quota)).toEqual([LINE_POINTS, LINE_POINTS, LINE_POINTS]);
  expect(await again.ctx.db.writer.selectFrom('hold').selectAll().execute()).toEqual([]);
});

test('waits with its answers while its channel is switched off, and the key that made it may have gone', async () => {
  const submitted = await mine.submit(lines(2));
  const batch = await ordered();
  await scene.admin.api(channels).update({ body: { id: channelId, status: 'disabled' } });
  vendor.complete(batch);
  for (let second = 0; second < 60; second += 1) await scene.step();
  expect(vendor.asked.some((route) => route.endsWith('/content'))).toBe(true);
  expect(await mine.openai.batches.retrieve(submitted.id)).toMatchObject({ status: 'in_progress' });
  await scene.admin.api(channels).update({ body: { id: channelId, status: 'enabled' } });
  expect(await mine.waitUntilEnded(submitted.id)).toMatchObject({
    status: 'completed',
    request_counts: { completed: 2 },
  });
  await isClean();
});

test('rate limits delay lines before they are sent, but not existing responses', async () => {
  const client = scene.createClient(await scene.newKey({ unlimited_quota: true, api_rate: 10 }, mine.user));
  const submittedAt = scene.clock.now();
  const submitted = await client.submit(lines(30));
  const batch = await ordered();
  expect(scene.clock.now() - submittedAt).toBeGreaterThanOrEqual(120_000);
  const startedAt = scene.clock.now();
  vendor.complete(batch);
  expect(await mine.waitUntilEnded(submitted.id)).toMatchObject({ request_counts: { completed: 30 } });
  // The rate limit would stretch them to three minutes.
  expect(scene.clock.now() - startedAt).toBeLessThan(120_000);
  expect(await charges()).toHaveLength(30);
});

test('limits of tokens hold back lines before they are sent', async () => {
  const { limits, ...setting } = apiKeySetting.parse({});
  const limited = { ...setting, limits: { ...limits, tokens_per_minute: 120 } };
  const key = await scene.newKey({ unlimited_quota: true, setting: limited }, mine.user);
  const submittedAt = scene.clock.now();
  const bodies = Array.from({ length: 6 }, (_, nth) =>
    buildRequestLine(`${nth}`, { model: MODEL, max_completion_tokens: 50 }),
  );
  const submitted = await scene.createClient(key).submit(toJsonl(bodies));
  const batch = await ordered();
  // The first two lines find a full bucket.
  expect(scene.clock.now() - submittedAt).toBeGreaterThanOrEqual(60_000);
  vendor.complete(batch);
  expect(await mine.waitUntilEnded(submitted.id)).toMatchObject({ request_counts: { completed: 6 } });
});

test('charges each line once after the memory budget refused the first attempts to settle it', async () => {
  await useServerOfItsOwn(undefined, { relayMemoryMaxBytes: 1_000_000 });
  const submitted = await mine.submit(lines(3));
  const batch = await ordered();
  await scene.newChannel({});
  const leave = new AbortController();
  const body = { model: 'scripted+slow-first-byte-300000', messages: [{ role: 'user', content: 'x'.repeat(550_000) }] };
  const large = scene.post('/v1/chat/completions', body, { key: mine.key, signal: leave.signal });
  await vi.waitUntil(() => scene.upstream.requests.length > 0);
  const before = await mine.balance();
  vendor.complete(batch);
  const file = batch.output_file_id ?? '';
  vendor.files.set(file, (vendor.files.get(file) ?? '').replaceAll('You said', 'x'.repeat(600_000)));
  for (let second = 0; second < 20; second += 1) await scene.step();
  expect(vendor.asked.some((route) => route.endsWith('/content'))).toBe(true);
  expect(await holds()).toHaveLength(4);
  leave.abort();
  await expect(large).rejects.toThrow();
  expect(await mine.waitUntilEnded(submitted.id)).toMatchObject({ request_counts: { completed: 3 } });
  expect(await mine.balance()).toBe(before - 3 * LINE_POINTS);
  await isClean();
});

test('charges a line once whose hold is gone, even from an account without points', async () => {
  const submitted = await mine.submit(lines(2));
  const batch = await ordered();
  const { ledger } = scene.ctx;
  for (const { request_id: id } of await holds()) {
    await ledger.resume(id);
    ledger.release(id);
  }
  const before = await mine.balance();
  await scene.admin
    .api(users)
    .changeQuota({ params: { id: mine.user.id }, body: changeQuota.parse({ quota: -before }) });
  vendor.complete(batch);
  expect(await mine.waitUntilEnded(submitted.id)).toMatchObject({ request_counts: { completed: 2 } });
  expect(await mine.balance()).toBe(-2 * LINE_POINTS);
  await isClean();
});

test('keeps an account until its batch at the vendor, which is cancelled, has ended and is charged', async () => {
  const submitted = await mine.submit(lines(3));
  const batch = await ordered();
  const remove = () => scene.admin.api(users).remove({ params: { id: mine.user.id } });
  await expect(remove()).rejects.toMatchObject({ code: 'batch-running' });
  await scene.eventually(() => expect(batch.status).toBe('cancelling'));
  await mine.user.api(profile).stepUp({ body: { password: mine.user.password } });
  await expect(mine.user.api(profile).remove()).rejects.toMatchObject({ code: 'batch-running' });
  vendor.complete(batch);
  await mine.waitUntilEnded(submitted.id);
  expect((await charges()).map(({ quota }) => quota)).toEqual([LINE_POINTS, LINE_POINTS, LINE_POINTS]);
  await isClean();
  await remove();
  await removeOldBatches(scene.ctx);
  expect(await scene.ctx.db.writer.selectFrom('batch_line').selectAll().execute()).toEqual([]);
});

test('stops repeating a cancellation that the vendor rejects', async () => {
  const submitted = await mine.submit(lines(2));
  const batch = await ordered();
  vendor.overrideReply(`POST /v1/batches/${batch.id}/cancel`, () => ({ status: 409, json: {} }));
  await mine.openai.batches.cancel(submitted.id);
  const cancels = () => vendor.asked.filter((route) => route.endsWith('/cancel')).length;
  await scene.eventually(() => expect(cancels()).toBeGreaterThan(0));
  for (let second = 0; second < 2; second += 1) await scene.step();
  expect(cancels()).toBeLessThan(5);
  vendor.complete(batch);
  await mine.waitUntilEnded(submitted.id);
  await isClean();
});

test('has the price of the group in which it was ordered, wherever its key goes', async () => {
  const cheap = { symbol: 'cheap', name: 'Cheap', public: true, ratio: 0.01 };
  await scene.admin.api(userGroups).create({ body: cheap });
  const submitted = await mine.submit(lines(2));
  const batch = await ordered();
  const [key] = (await mine.user.api(apiKeys).list({ query: {} })).data;
  if (key === undefined) throw new Error('no key');
  await mine.user.api(apiKeys).update({ body: { id: key.id, group: 'cheap' } });
  vendor.complete(batch);
  await mine.waitUntilEnded(submitted.id);
  expect((await charges()).map(({ quota }) => quota)).toEqual([LINE_POINTS, LINE_POINTS]);
  await isClean();
});

describe('a batch that its vendor has run is charged, whatever changes meanwhile', () => {
  const outputRule = {
    kind: 'words',
    name: 'words',
    words: ['forbidden'],
    action: 'refuse',
    output: true,
    input: false,
  };
  const setting = apiKeySetting.parse({});
  async function changeKey(change: Partial<typeof setting>): Promise<void> {
    const api = mine.user.api(apiKeys);
    const [key] = (await api.list({ query: {} })).data;
    if (key === undefined) throw new Error('no key');
    await api.update({ body: { id: key.id, setting: { ...setting, ...change } } });
  }
  let leaveSlot = async (): Promise<void> => {};
  // Before the batches are removed, which waits for the end of all calls.
  afterEach(() => leaveSlot());

  async function occupyOnlySlot(): Promise<void> {
    await scene.newChannel({});
    await changeKey({ limits: { ...setting.limits, concurrency: 1 } });
    const leave = new AbortController();
    const body = { model: 'scripted+slow-first-byte-300000', messages: [{ role: 'user', content: 'Hello' }] };
    const ended = scene.post('/v1/chat/completions', body, { key: mine.key, signal: leave.signal }).catch(() => {});
    leaveSlot = async () => {
      leave.abort();
      await ended;
    };
    await scene.eventually(() => expect(scene.upstream.requests.length).toBeGreaterThan(0));
  }
  const dearer = () =>
    scene.admin
      .api(prices)
      .update({
        params: { model: MODEL },
        body: savePrice.parse({ model: MODEL, rates: { input: 20 * NANO_POINTS, output: 40 * NANO_POINTS } }),
      });

  const restorePrice = async (): Promise<void> => {
    await scene.admin.api(prices).update({ params: { model: MODEL }, body: price });
  };

  test.each([
    ['its token then rejects lossy translation', () => changeKey({ strict_translation: true })],
    ['a rule then forbids its responses', () => addRule(outputRule)],
    ['its price then rises', dearer],
    ['its token then has no free slot', occupyOnlySlot],
  ])('%s', async (_, change) => {
    const requestLines = ['0', '1'].map((said) => buildRequestLine(said, { model: MODEL, service_tier: 'flex' }));
    const submitted = await mine.submit(toJsonl(requestLines));
    const batch = await ordered();
    await change();
    onTestFinished(restorePrice);
    const completedAt = scene.clock.now();
    vendor.complete(batch);
    const file = batch.output_file_id ?? '';
    vendor.files.set(file, (vendor.files.get(file) ?? '').replaceAll('You said', 'Something forbidden'));
    const other = scene.createClient(await scene.newKey({ unlimited_quota: true }, mine.user));
    await other.waitUntilEnded(submitted.id);
    expect(scene.clock.now() - completedAt).toBeLessThan(100_000);
    const charged = (await charges()).filter(({ model }) => model === MODEL);
    expect(charged.map(({ quota }) => quota)).toEqual([LINE_POINTS, LINE_POINTS]);
  });
});

test('ends, too, when the key that made it goes before it begins', async () => {
  const client = scene.createClient(await scene.newKey({ unlimited_quota: true }, mine.user));
  const submitted = await client.submit(lines(2));
  const keys = (await mine.user.api(apiKeys).list({ query: {} })).data;
  for (const { id } of keys.filter(({ id }) => id !== Math.min(...keys.map((key) => key.id))))
    await mine.user.api(apiKeys).remove({ params: { id } });
  expect(await mine.waitUntilEnded(submitted.id)).toMatchObject({ request_counts: { completed: 0, failed: 2 } });
  await isClean();
});

test('charges the vendor’s responses, also after the batch’s key is deleted', async () => {
  const client = scene.createClient(await scene.newKey({ unlimited_quota: true }, mine.user));
  const submitted = await client.submit(lines(2));
  const batch = await ordered();
  const keys = (await mine.user.api(apiKeys).list({ query: {} })).data;
  const id = Math.max(...keys.map((key) => key.id)) as ApiKeyId;
  await mine.user.api(apiKeys).remove({ params: { id } });
  vendor.complete(batch);
  expect(await mine.waitUntilEnded(submitted.id)).toMatchObject({ request_counts: { completed: 2, failed: 0 } });
  expect((await charges()).map(({ quota }) => quota)).toEqual([LINE_POINTS, LINE_POINTS]);
  await isClean();
});

test('a submission that is far behind others is found, and not repeated', async () => {
  vendor.overrideReply('POST /v1/batches', async ({ body }) => {
    vendor.resetReplies();
    const headers = { authorization: 'Bearer sk-upstream', 'content-type': 'application/json' };
    const order = (what: string) => fetch(`${vendor.url}/v1/batches`, { method: 'POST', headers, body: what });
    await order(body);
    const others = JSON.stringify({ ...(JSON.parse(body) as object), metadata: {} });
    for (let nth = 0; nth < 150; nth += 1) await order(others);
    return { status: 502, text: 'bad gateway' };
  });
  const submitted = await mine.submit(lines(1));
  const [batch] = await scene.eventually(() => {
    const all = [...vendor.batches.values()];
    expect(all).toHaveLength(151);
    return all;
  });
  if (batch !== undefined) vendor.complete(batch);
  expect(await mine.waitUntilEnded(submitted.id)).toMatchObject({ request_counts: { completed: 1 } });
  expect(vendor.batches.size).toBe(151);
  await isClean();
});

test('answers that cannot be read stop no others, and nothing stays held for them', async () => {
  const submitted = await mine.submit(lines(4));
  const batch = await ordered();
  vendor.complete(batch);
  const file = batch.output_file_id ?? '';
  const [first = '', second = '', ...more] = vendor.files.get(file)?.trim().split('\n') ?? [];
  const answerOf = (line: string, body: string): string => {
    const { custom_id } = JSON.parse(line) as BatchVendorLine;
    return `{"custom_id":"${custom_id}","response":{"status_code":200${body}}}`;
  };
  const deep = `,"body":${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const endless = 'x'.repeat(65 * 1_048_576);
  vendor.files.set(file, [answerOf(first, ''), answerOf(second, deep), ...more, endless].join('\n'));
  expect(await mine.waitUntilEnded(submitted.id)).toMatchObject({ request_counts: { completed: 2, failed: 2 } });
  await isClean();
  expect(await charges()).toHaveLength(2);
});

const faultsOfPolls = [undefined, 'hang-up', 429, 503] as const;

test.each(faultsOfPolls)('responses are charged after more than a day, if polls fail by %s at first', async (fault) => {
  await useServerOfItsOwn();
  const submitted = await mine.submit(lines(2));
  const batch = await ordered();
  scene.clock.jump(26 * 3_600);
  let polls = 0;
  if (fault !== undefined)
    vendor.overrideReply(`GET /v1/batches/${batch.id}`, () => {
      polls += 1;
      if (polls === 3) vendor.resetReplies();
      return fault === 'hang-up' ? fault : { status: fault, json: {} };
    });
  vendor.complete(batch);
  expect(await mine.waitUntilEnded(submitted.id)).toMatchObject({ request_counts: { completed: 2 } });
  await isClean();
  expect(await charges()).toHaveLength(2);
});

test('treats a creation whose response is no batch as possibly accepted, and does not repeat it', async () => {
  vendor.overrideReply('POST /v1/batches', async ({ body }) => {
    vendor.resetReplies();
    const headers = { authorization: 'Bearer sk-upstream', 'content-type': 'application/json' };
    await fetch(`${vendor.url}/v1/batches`, { method: 'POST', headers, body });
    return { text: 'welcome' };
  });
  const submitted = await mine.submit(lines(2));
  vendor.complete(await ordered());
  await mine.waitUntilEnded(submitted.id);
  expect(vendor.singleRequests).toEqual([]);
  await isClean();
});

test('redacts the stored copy of a redacted line', async () => {
  const rule = { kind: 'words', name: 'words', words: ['forbidden'], action: 'mask' } as const;
  await addRule(rule);
  const url = '/v1/responses';
  const line = { custom_id: 'a', method: 'POST', url, body: { model: MODEL, input: 'a forbidden word' } };
  const submitted = await mine.submit(toJsonl([line]), { endpoint: url });
  const batch = await ordered();
  const [sent] = vendor.readLines(batch);
  expect(sent?.body).toMatchObject({ input: 'a *** word' });
  const body = {
    id: 'resp_1',
    object: 'response',
    created_at: 1_700_000_000,
    status: 'completed',
    model: MODEL,
    output: [],
    usage: { input_tokens: 1_000, output_tokens: 2_000, total_tokens: 3_000 },
  };
  vendor.files.set('file-1', JSON.stringify({ custom_id: sent?.custom_id, response: { status_code: 200, body } }));
  Object.assign(batch, { output_file_id: 'file-1', status: 'completed' });
  await mine.waitUntilEnded(submitted.id);
  const stored = await scene.ctx.db.writer.selectFrom('stored_response').select('input').execute();
  expect(stored.map(({ input }) => input).join()).toContain('a *** word');
});
