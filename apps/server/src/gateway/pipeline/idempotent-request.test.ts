import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startVideoVendor } from '../../../../../tests/scripted-tasks/scripted-videos.ts';
import { KEYS_MAX } from '../../idempotency/count-idempotency-keys.ts';
import { type RelayScene, removeShippedPrices, startRelayScene } from '../../testing/relay-scene.ts';
import { startNodes } from '../../testing/start-nodes.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';
import { createTestClock } from '../../testing/test-clock.ts';

let scene: RelayScene;
let keys = 0;
let key: string;

beforeAll(async () => {
  scene = await startRelayScene();
  await scene.newChannel({});
});
afterAll(() => scene.close());
beforeEach(() => {
  scene.upstream.requests.length = 0;
  keys += 1;
  key = `key-${keys}`;
});

const bodyFor = (model: string, more: Record<string, unknown> = {}) => ({
  model,
  messages: [{ role: 'user', content: 'Say something.' }],
  ...more,
});
const send = (model: string, more: Record<string, unknown> = {}, as?: string, signal?: AbortSignal) =>
  scene.post('/v1/chat/completions', bodyFor(model, more), {
    headers: { 'idempotency-key': key },
    ...(as === undefined ? {} : { key: as }),
    ...(signal === undefined ? {} : { signal }),
  });
const charges = async () => {
  await scene.waitUntilSettled();
  return (await scene.records()).filter(({ type }) => type === 'consume').length;
};
const messageOf = async (response: Response) =>
  ((await response.json()) as { error: { message: string; code: string } }).error;

describe('a request that is sent again with its key', () => {
  test.each([
    ['whole', {}],
    ['streamed', { stream: true }],
  ])('gets the same %s answer, is not sent upstream again, and is charged once', async (_how, more) => {
    const before = await charges();
    const first = await send('scripted', more);
    const text = await first.text();
    expect(first.headers.get('x-switchyard-idempotent-replay')).toBeNull();
    const second = await send('scripted', more);
    expect(await second.text()).toBe(text);
    expect(second.status).toBe(200);
    expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'));
    expect(second.headers.get('x-switchyard-idempotent-replay')).toBe('true');
    expect(scene.upstream.requests).toHaveLength(1);
    expect(await charges()).toBe(before + 1);
  });

  test('serves a request with the same key and another path as a new one', async () => {
    const contents = [{ parts: [{ text: 'Say something.' }] }];
    const post = (action: string): Promise<Response> =>
      scene.post(`/v1beta/models/${action}`, { contents }, { headers: { 'idempotency-key': key } });
    expect((await post('scripted:generateContent')).status).toBe(200);
    expect((await post('scripted:generateContent')).headers.get('x-switchyard-idempotent-replay')).toBe('true');
    for (const action of ['scripted-b:generateContent', 'scripted:streamGenerateContent'])
      expect((await post(action)).status).toBe(422);
  });

  test('makes a repeated request wait while the first one runs', async () => {
    const mayEnd = Promise.withResolvers<void>();
    scene.upstream.setScript(() => ({ endGate: mayEnd.promise }));
    const first = send('scripted', { stream: true });
    await expect.poll(() => scene.upstream.requests.length).toBe(1);
    const second = await send('scripted', { stream: true });
    mayEnd.resolve();
    scene.upstream.setScript(undefined);
    expect(second.status).toBe(409);
    expect(second.headers.get('retry-after')).toBe('1');
    expect((await messageOf(second)).code).toBe('idempotency_conflict');
    expect(await (await first).text()).toContain('[DONE]');
  });

  test('refuses a different request with the same key in the client’s dialect', async () => {
    await (await send('scripted')).text();
    const other = await send('scripted', { temperature: 1 });
    expect(other.status).toBe(422);
    expect((await messageOf(other)).code).toBe('idempotency_key_reused');
    const anthropic = await scene.post(
      '/v1/messages',
      { model: 'scripted', max_tokens: 5, messages: [{ role: 'user', content: 'x' }] },
      { headers: { 'idempotency-key': key } },
    );
    expect(anthropic.status).toBe(422);
    expect(await anthropic.json()).toMatchObject({ type: 'error' });
  });

  test('serves a request with the same key again when another token sends it', async () => {
    const other = await scene.newKey({ unlimited_quota: true });
    await (await send('scripted')).text();
    const response = await send('scripted', {}, other);
    expect(response.headers.get('x-switchyard-idempotent-replay')).toBeNull();
    expect(scene.upstream.requests).toHaveLength(2);
  });

  test('serves a repeated request as a new one after a day', async () => {
    await (await send('scripted')).text();
    scene.clock.advance(86_401);
    expect((await send('scripted')).headers.get('x-switchyard-idempotent-replay')).toBeNull();
  });
});

test('serves one of many simultaneous requests with the same key', async () => {
  const before = await charges();
  const answers = await Promise.all(Array.from({ length: 20 }, () => send('scripted+tokens-5')));
  const statuses = await Promise.all(
    answers.map(async (response) => {
      await response.text();
      return response.status;
    }),
  );
  expect(scene.upstream.requests).toHaveLength(1);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(1);
  expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
  expect(await charges()).toBe(before + 1);
});

test('a failure that cost nothing frees the key', async () => {
  expect((await send('scripted+status-500')).status).toBe(502);
  expect((await send('scripted')).status).toBe(200);
});

test('a request whose client left is reported as completed, with its charge', async () => {
  const leaving = new AbortController();
  const before = await charges();
  const model = 'scripted+tokens-500+drip-5ms';
  const response = await send(model, { stream: true }, undefined, leaving.signal);
  const reader = response.body?.getReader();
  for (let read = 0; read < 5; read += 1) await reader?.read();
  const left = scene.waitForDisconnect();
  leaving.abort();
  await left;
  scene.clock.advance(1);
  await expect.poll(charges).toBe(before + 1);
  const record = (await scene.records()).at(-1);
  const again = await send(model, { stream: true });
  expect(again.status).toBe(409);
  const { message } = await messageOf(again);
  expect(message).toContain(record?.request_id ?? '?');
  expect(message).toContain(`charged ${record?.quota} points`);
  expect(await charges()).toBe(before + 1);
});

test('an answer above 1 MB is given whole, not kept, and never charged twice', async () => {
  const model = 'scripted+tokens-400000';
  const before = await charges();
  const first = await send(model);
  expect((await first.text()).length).toBeGreaterThan(1_048_576);
  const again = await send(model);
  expect(again.status).toBe(409);
  expect((await messageOf(again)).message).toContain('was completed and charged');
  expect(await charges()).toBe(before + 1);
});

test('a key that is no visible text is refused', async () => {
  key = 'two words';
  expect((await send('scripted')).status).toBe(400);
});

const noAnswer = { status: null, content_type: null, body: null };

test('a key of a request that a crash ended before any charge is served', async () => {
  await (await send('scripted')).text();
  const lost = { request_id: 'of-a-dead-process', ...noAnswer };
  await scene.ctx.db.writer.updateTable('idempotency_key').set(lost).where('key', '=', key).execute();
  const response = await send('scripted');
  expect(response.status).toBe(200);
  expect(response.headers.get('x-switchyard-idempotent-replay')).toBeNull();
});

test('a key of a request whose task is stored meanwhile is not taken over', async () => {
  await (await send('scripted')).text();
  const { writer } = scene.ctx.db;
  const request_id = 'of-a-suspended-node';
  await writer
    .updateTable('idempotency_key')
    .set({ request_id, ...noAnswer })
    .where('key', '=', key)
    .execute();
  const hold = { request_id, user_id: scene.user.id, api_key_id: null, limited: 0, amount: 0, created_at: 0 };
  await writer
    .insertInto('hold')
    .values({ ...hold, lasting: 1 })
    .execute();
  expect((await send('scripted')).status).toBe(409);
  await writer.deleteFrom('hold').where('request_id', '=', request_id).execute();
  expect((await send('scripted')).status).toBe(200);
});

test('a key is refused with 429 when its user has reached the limit, and the request without it is served', async () => {
  await (await send('scripted')).text();
  await scene.ctx.db.writer.updateTable('idempotency_usage').set({ keys: KEYS_MAX }).execute();
  key = 'one-too-many';
  const refused = await send('scripted');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3600']);
  expect((await messageOf(refused)).message).toContain('idempotency keys within 24 hours');
  const body = bodyFor('scripted');
  expect((await scene.post('/v1/chat/completions', body)).status).toBe(200);
  await scene.ctx.db.writer.updateTable('idempotency_usage').set({ keys: 1 }).execute();
  expect((await send('scripted')).status).toBe(200);
});

test('an order whose answer was lost with its process is answered with its task, while that runs and after', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-'));
  const vendor = await startVideoVendor();
  const films = await startRelayScene({ dataDir });
  await films.newChannel({ type: 1, models: ['sora*'], base_url: vendor.url });
  await removeShippedPrices(films.admin, ['sora']);
  const film = rates.parse({ input: 0, output: 0, second: 50_000_000_000_000 });
  await films.admin.api(prices).create({ body: { model: 'sora*', rates: film } });
  const charge = 4 * 50_000;
  const order = (url: string) =>
    fetch(`${url}/v1/videos`, {
      method: 'POST',
      headers: { authorization: `Bearer ${films.key}`, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ model: 'sora-2', prompt: 'a cat walks', seconds: '4' }),
    });
  const idOf = async (response: Response) => ((await response.json()) as { id: string }).id;
  const available = ({ ctx }: TestApp) => ctx.ledger.readAvailable(films.user.id);

  const before = await available(films);
  const id = await idOf(await order(films.url));
  // The process ended between the beginning of the task and the keeping of its answer.
  await films.ctx.db.writer.updateTable('idempotency_key').set(noAnswer).execute();
  await films.close();
  const again = await startTestApp({ dataDir });
  const repeated = await order(again.url);
  expect([repeated.status, repeated.headers.get('x-switchyard-idempotent-replay')]).toEqual([200, 'true']);
  expect(await idOf(repeated)).toBe(id);
  expect(before - (await available(again))).toBe(charge);
  for (const video of vendor.videos.values()) video.status = 'completed';
  await expect
    .poll(async () => {
      again.clock.advance(10);
      return again.ctx.db.writer.selectFrom('task').select(['status', 'charge']).execute();
    })
    .toEqual([{ status: 'succeeded', charge }]);
  expect(await idOf(await order(again.url))).toBe(id);
  expect(before - (await available(again))).toBe(charge);
  expect(vendor.submissions).toHaveLength(1);
  await again.close();
  await vendor.close();
  rmSync(dataDir, { recursive: true });
});

test('a request gives its lease up before its response ends, so that the next one meets nothing of it', async () => {
  const steps: string[] = [];
  const { leases } = scene.ctx;
  const take = leases.acquire.bind(leases);
  const giveUp = async (): Promise<void> => {
    // As long as a database takes.
    await (await scene.post('/v1/chat/completions', bodyFor('scripted'))).text();
    steps.push('gave the lease up');
  };
  const taken = vi.spyOn(leases, 'acquire').mockImplementation(async (names, also) => {
    const [name = ''] = names;
    if (!name.startsWith('idempotent:')) return take(names, also);
    return [{ name, lost: new AbortController().signal, isHeld: () => true, release: giveUp }];
  });
  onTestFinished(() => taken.mockRestore());
  for (const how of ['first', 'repeated']) {
    await (await send('scripted')).text();
    steps.push(`${how} response`);
  }
  await expect.poll(() => steps).toHaveLength(4);
  expect(steps).toEqual(['gave the lease up', 'first response', 'gave the lease up', 'repeated response']);
});

test('a request that is sent again to another node while it runs is not served twice', async (context) => {
  const nodes = await startNodes();
  if (nodes === undefined) return context.skip('PostgreSQL is not installed here');
  const { first, second } = nodes;
  onTestFinished(() => nodes.close());
  await first.newChannel({});
  const ask = (url: string) =>
    fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${first.key}`, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(bodyFor('scripted')),
    });
  const mayEnd = Promise.withResolvers<void>();
  first.upstream.setScript(() => ({ endGate: mayEnd.promise }));
  const running = ask(first.url);
  await expect.poll(() => first.upstream.requests).toHaveLength(1);
  expect((await messageOf(await ask(second.url))).code).toBe('idempotency_conflict');
  mayEnd.resolve();
  const text = await (await running).text();
  await expect.poll(async () => await (await ask(second.url)).text()).toBe(text);
  expect(first.upstream.requests).toHaveLength(1);
  await first.waitUntilSettled();
  expect((await first.records()).filter(({ type }) => type === 'consume')).toHaveLength(1);
});

test('a request is charged once that is repeated while its node is cut off', async (context) => {
  const nodes = await startNodes();
  if (nodes === undefined) return context.skip('PostgreSQL is not installed here');
  const { first, second } = nodes;
  onTestFinished(() => nodes.close());
  await first.newChannel({});
  // A node whose clock is stopped renews nothing and does not notice that it lost its lease.
  const cutOff = await nodes.start({ machine: createTestClock(0) });
  onTestFinished(() => cutOff.close());
  const ask = (url: string) =>
    fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${first.key}`, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(bodyFor('scripted+tokens-5')),
    });
  const mayEnd = Promise.withResolvers<void>();
  first.upstream.setScript(() => ({ endGate: mayEnd.promise }));
  const running = ask(cutOff.url);
  await expect.poll(() => first.upstream.requests).toHaveLength(1);
  first.upstream.setScript(undefined);
  const { writer } = first.ctx.db;
  await writer.transaction().execute(async (trx) => {
    await trx.deleteFrom('lease').where('name', 'like', 'idempotent:%').execute();
    await trx.deleteFrom('hold').execute();
    await trx.updateTable('user_account').set({ held: 0 }).execute();
  });
  const repeated = await ask(second.url);
  expect(repeated.status).toBe(200);
  const text = await repeated.text();
  mayEnd.resolve();
  await (await running).text();
  await expect.poll(() => cutOff.ctx.ledger.openHolds).toBe(0);
  await cutOff.ctx.ledger.transaction(async () => {});
  await second.ctx.ledger.transaction(async () => {});
  expect((await first.records()).filter(({ type }) => type === 'consume')).toHaveLength(1);
  expect(await (await ask(first.url)).text()).toBe(text);
});
