import { createServer } from 'node:http';
import { rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { listen } from '../../../../../tests/listen.ts';
import { startVideoVendor, type VideoVendor } from '../../../../../tests/scripted-tasks/scripted-videos.ts';
import { AppError } from '../../platform/http/app-error.ts';
import { createClientAddress } from '../../platform/http/client-address.ts';
import { advanceUntil } from '../../testing/advance-until.ts';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';
import { createGateway } from '../gateway.ts';

const OPENAI = 1;
const NANO = 1_000_000_000;
const POINTS_PER_SECOND = 1_000;
const SECONDS = 4;

let scene: RelayScene;
let vendors: VideoVendor[];

/** Two channels of one model; the first one that is called responds as the test defines. */
beforeAll(async () => {
  vendors = await Promise.all([startVideoVendor(), startVideoVendor()]);
  scene = await startRelayScene();
  for (const { url } of vendors)
    await scene.newChannel({ type: OPENAI, models: ['film'], base_url: url, key: 'sk-upstream' });
  await scene.admin
    .api(prices)
    .create({ body: { model: 'film', rates: rates.parse({ input: 0, output: 0, second: POINTS_PER_SECOND * NANO }) } });
});
afterAll(async () => {
  await scene.close();
  await Promise.all(vendors.map((vendor) => vendor.close()));
});
beforeEach(() => {
  for (const vendor of vendors) {
    vendor.resetReplies();
    vendor.asked.length = 0;
  }
});

const available = () => scene.ctx.ledger.readAvailable(scene.user.id);
const submissions = () => vendors.flatMap(({ asked }) => asked.filter((route) => route.startsWith('POST'))).length;

async function order(text: string): Promise<Response> {
  for (const vendor of vendors) vendor.overrideReply('POST /v1/videos', () => ({ text }));
  return scene.post('/v1/videos', { model: 'film', prompt: 'a cat', seconds: String(SECONDS) });
}

test.each([
  '{"id":"video-of-the-vendor","status":"NOT_START"}',
  '{"id":1700000000000123,"status":"processing"}',
  '{"id":17000000000001234567,"status":"SUBMITTED"}',
  '{"id":"video-of-the-vendor"}',
  '{"id":"video-of-the-vendor","message":"accepted","error":{}}',
  '{"id":{"task_id":"video-of-the-vendor"},"status":"wandering"}',
  '{"code":"success","message":"ok","data":{"task_id":"video-of-the-vendor","status":"queued"}}',
])('a submission that is accepted by %s is sent to one channel, and shows no id of the vendor', async (text) => {
  const before = await available();
  const answer = await order(text);
  const body = await answer.text();
  expect(answer.status).toBe(200);
  expect(body).not.toMatch(/vendor|1700000000000/);
  expect(submissions()).toBe(1);
  expect(before - (await available())).toBe(SECONDS * POINTS_PER_SECOND);
  const { id } = JSON.parse(body) as { id: string };
  const { upstream_id } = await scene.ctx.db.writer
    .selectFrom('task')
    .select('upstream_id')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const reply = () => ({ json: { id: 'another', status: 'FAILURE', fail_reason: 'It was blocked.' } });
  for (const vendor of vendors) vendor.overrideReply(`GET /v1/videos/${upstream_id}`, reply);
  const ask = (name: string) =>
    fetch(`${scene.url}/v1/videos/${name}`, { headers: { authorization: `Bearer ${scene.key}` } });
  expect((await ask(upstream_id)).status).toBe(404);
  await advanceUntil(scene.clock, async () =>
    expect(await (await ask(id)).json()).toMatchObject({ status: 'failed', error: { message: 'It was blocked.' } }),
  );
  expect(await available()).toBe(before);
});

test('keeps a task whose submission response exceeds the memory budget', async () => {
  const small = await startRelayScene({ config: { relayMemoryMaxBytes: 400_000 } });
  const [vendor] = vendors;
  const text = JSON.stringify({ id: 'video-of-the-vendor', status: 'queued', prompt: 'a'.repeat(120_000) });
  vendor?.overrideReply('POST /v1/videos', () => ({ text }));
  await small.newChannel({ type: OPENAI, models: ['film'], base_url: vendor?.url ?? '', key: 'sk-upstream' });
  const answer = await small.post('/v1/videos', { model: 'film', prompt: 'a cat', image: 'A'.repeat(200_000) });
  const tasks = await small.ctx.db.writer.selectFrom('task').select('upstream_id').execute();
  await small.close();
  expect(answer.status).toBe(200);
  expect(tasks).toEqual([{ upstream_id: 'video-of-the-vendor' }]);
});

test.each(['failed', 'CANCELLED', 'expired'])(
  'an order that is %s at once costs nothing, says why, and is given to no other channel',
  async (status) => {
    const before = await available();
    const answer = await order(
      JSON.stringify({ id: 'video-of-the-vendor', status, error: { code: 'blocked', message: 'A cat was seen.' } }),
    );
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('A cat was seen.') as string]);
    expect(submissions()).toBe(1);
    expect(await available()).toBe(before);
  },
);

test('an order with an unknown outcome is not sent to another channel', async () => {
  const before = await available();
  expect((await order('{"status":"queued"}')).status).toBe(502);
  expect(submissions()).toBe(1);
  expect(await available()).toBe(before);
});

test('a submission that is clearly refused is sent to the other channel', async () => {
  expect((await order('{"code":"no_account","message":"There is no account","data":null}')).status).toBe(502);
  expect(submissions()).toBe(2);
});

test.each(['before it commits', 'after it has committed'])(
  'keeps a task that the vendor has when the storage fails %s',
  async (when) => {
    const id = `video-${when.replaceAll(' ', '-')}`;
    const before = await available();
    const { ledger } = scene.ctx;
    const transaction = ledger.transaction.bind(ledger);
    const failing = vi.spyOn(ledger, 'transaction').mockImplementationOnce(async (work) => {
      if (when.startsWith('after')) await transaction(work);
      throw new AppError('unavailable', 'The storage is away');
    });
    const answer = order(`{"id":"${id}","status":"queued"}`);
    await advanceUntil(scene.clock, async () => expect(failing.mock.calls.length).toBeGreaterThan(1));
    failing.mockRestore();
    expect((await answer).status).toBe(200);
    expect(submissions()).toBe(1);
    const tasks = scene.ctx.db.writer.selectFrom('task').select('request_id');
    expect(await tasks.where('upstream_id', '=', id).execute()).toHaveLength(1);
    expect(before - (await available())).toBe(SECONDS * POINTS_PER_SECOND);
  },
);

test('keeps a task that the vendor accepts while the node loses its lease', async () => {
  const loss = vi.spyOn(scene.ctx.ledger, 'onLeaseLost');
  const gateway = await createGateway(scene.ctx, createClientAddress([]));
  const interrupt = loss.mock.lastCall?.[0];
  loss.mockRestore();
  const server = createServer((request, response) => gateway.handle(request, response));
  const url = `http://127.0.0.1:${await listen(server)}`;
  for (const vendor of vendors)
    vendor.overrideReply('POST /v1/videos', () => {
      interrupt?.();
      return { text: '{"id":"video-of-a-lost-lease","status":"queued"}' };
    });
  const body = JSON.stringify({ model: 'film', prompt: 'a cat', seconds: String(SECONDS) });
  const headers = { authorization: `Bearer ${scene.key}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/v1/videos`, { method: 'POST', headers, body });
  const tasks = scene.ctx.db.writer.selectFrom('task').select('request_id');
  expect(await tasks.where('upstream_id', '=', 'video-of-a-lost-lease').execute()).toHaveLength(1);
  expect(answer.status).toBe(200);
  await new Promise((resolve) => server.close(resolve));
  await gateway.close();
});
