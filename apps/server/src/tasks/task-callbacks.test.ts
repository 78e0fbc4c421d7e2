import { rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type KlingVendor, startKlingVendor } from '../../../../tests/scripted-tasks/scripted-kling.ts';
import { type MidjourneyVendor, startMidjourneyVendor } from '../../../../tests/scripted-tasks/scripted-midjourney.ts';
import { sleep, systemTimers } from '../platform/clock.ts';
import { advanceUntil } from '../testing/advance-until.ts';
import { type RelayScene, removeShippedPrices, startRelayScene } from '../testing/relay-scene.ts';
import { setOptions } from '../testing/set-options.ts';
import { type Reply, startTestVendor, type TestVendor, type VendorRequest } from '../testing/simulated-vendor.ts';
import { startNodes } from '../testing/start-nodes.ts';
import { insertLocalTask } from './gateway-run-tasks.ts';

const CLIENT = 'https://client.example';
const SLOW = 'https://slow.example';
const types = { midjourney: 34, kling: 53 };

let scene: RelayScene;
let drawings: MidjourneyVendor;
let films: KlingVendor;
let client: TestVendor;
let slow: TestVendor;
const called: VendorRequest[] = [];
let reply: () => Reply = () => ({ text: 'ok' });

beforeAll(async () => {
  client = await startTestVendor({}, (request) => {
    called.push(request);
    return reply();
  });
  slow = await startTestVendor({}, () => 'silence');
  drawings = await startMidjourneyVendor();
  films = await startKlingVendor();
  scene = await startRelayScene({ originOverrides: { [CLIENT]: client.url, [SLOW]: slow.url } });
  await scene.newChannel({ type: types.midjourney, models: ['mj_*'], base_url: drawings.url, key: 'mj-secret' });
  await scene.newChannel({ type: types.kling, models: ['kling*'], base_url: films.url, key: 'kling-key' });
  await removeShippedPrices(scene.admin, ['mj_', 'kling']);
  for (const model of ['mj_*', 'kling*'])
    await scene.admin
      .api(prices)
      .create({ body: { model, type: 'times', rates: rates.parse({ input: 1, output: 0 }) } });
});
afterAll(async () => {
  await scene.close();
  await Promise.all([drawings, films, client, slow].map((vendor) => vendor.close()));
});
beforeEach(() => setOptions(scene.ctx, { MjNotifyEnabled: 'true' }));
afterEach(async () => {
  reply = () => ({ text: 'ok' });
  await scene.ctx.db.writer.deleteFrom('task').execute();
  drawings.tasks.clear();
  films.tasks.clear();
  called.length = 0;
});

const imagine = async (notifyHook: string, key = scene.key): Promise<string> => {
  const answer = await scene.post('/mj/submit/imagine', { prompt: 'a cat', notifyHook }, { key });
  return ((await answer.json()) as { result: string }).result;
};
const bodies = () => called.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
/** Moves the clock ahead until it holds. */
const eventually = (check: () => void) => advanceUntil(scene.clock, check);
/** The queue also checks periodically, but only every few seconds. */
const hour = async () => {
  scene.clock.advance(3_700);
  await scene.ctx.changes.publish({ topic: 'tasks' });
};

/** More than an hour in which the queue looks every few minutes. */
async function passHour(): Promise<void> {
  for (let looks = 0; looks < 20; looks += 1) {
    scene.clock.advance(200);
    await scene.ctx.changes.publish({ topic: 'tasks' });
    // The query of the poll that was just started comes before this one.
    await scene.ctx.db.writer.selectFrom('task').select('id').execute();
    await sleep(systemTimers, 5);
  }
}

test('a client is called for each change of its image task, in its own dialect, with our id', async () => {
  const id = await imagine(`${CLIENT}/hook?of=ann`);
  Object.assign(drawings.getOnlyTask(), { status: 'IN_PROGRESS', progress: '31%' });
  await eventually(() => expect(bodies().at(-1)).toMatchObject({ id, status: 'IN_PROGRESS', progress: '31%' }));
  drawings.completeTask();
  await eventually(() => expect(bodies().at(-1)).toMatchObject({ id, status: 'SUCCESS', progress: '100%' }));
  expect(called.at(-1)).toMatchObject({ method: 'POST', target: '/hook?of=ann' });
  const calls = called.length;
  await passHour();
  expect(called).toHaveLength(calls);
});

describe('addresses in callbacks', () => {
  const finished = async () => {
    drawings.completeTask();
    await eventually(() => expect(bodies().at(-1)).toMatchObject({ status: 'SUCCESS' }));
    return bodies().at(-1)?.['imageUrl'];
  };

  test('addresses have the host of the submission where the operator has set none', async () => {
    const id = await imagine(`${CLIENT}/hook`);
    expect(await finished()).toBe(`${scene.url}/mj/image/${id}`);
  });

  test('addresses have the host that the operator has set', async () => {
    await setOptions(scene.ctx, { ServerAddress: 'https://gate.example/' });
    onTestFinished(() => setOptions(scene.ctx, { ServerAddress: '' }));
    const id = await imagine(`${CLIENT}/hook`);
    expect(await finished()).toBe(`https://gate.example/mj/image/${id}`);
  });

  test('only orders with a callback keep their host', async () => {
    await scene.post('/mj/submit/imagine', { prompt: 'a cat' });
    const rows = await scene.ctx.db.writer.selectFrom('task').select('notify_site').execute();
    expect(rows).toEqual([{ notify_site: '' }]);
  });
});

test('Kling’s clients get what Kling sends', async () => {
  await scene.post('/kling/v1/videos/text2video', {
    model_name: 'kling-v1',
    prompt: 'a cat',
    callback_url: `${CLIENT}/kling`,
  });
  films.completeTask('5.1');
  await eventually(() =>
    expect(bodies().at(-1)).toMatchObject({ task_status: 'succeed', task_result: { videos: [{}] } }),
  );
  expect(films.submissions.every(({ body }) => body['callback_url'] === undefined)).toBe(true);
});

test('retries a callback with growing delays, up to a limit', async () => {
  reply = () => ({ status: 503 });
  const logged = vi.spyOn(scene.ctx.log, 'info');
  onTestFinished(() => logged.mockRestore());
  const id = await imagine(`${CLIENT}/hook`);
  drawings.completeTask();
  await eventually(() => expect(called.length).toBeGreaterThan(1));
  await vi.waitFor(
    async () => {
      await hour();
      const row = await scene.ctx.db.writer.selectFrom('task').select('notify_at').executeTakeFirstOrThrow();
      expect(row.notify_at).toBeNull();
    },
    { timeout: 60_000, interval: 10 },
  );
  expect(called.length).toBeLessThanOrEqual(7);
  expect(logged).toHaveBeenCalledWith({ task: id, reason: 'status 503' }, expect.any(String));
  expect(new Set(called.map(({ body }) => body)).size).toBe(1);
});

test('one that hangs keeps no other user’s from being called', async () => {
  const other = await scene.createUser('user', { quota: 1_000_000 });
  const key = await scene.newKey({ unlimited_quota: true }, other);
  await imagine(`${SLOW}/hook`, key);
  const id = await imagine(`${CLIENT}/hook`);
  for (const drawing of drawings.tasks.values()) drawings.completeTask(drawing);
  await eventually(() => expect(bodies().at(-1)).toMatchObject({ id, status: 'SUCCESS' }));
});

test('never calls internal addresses, or any address while the operator has disabled callbacks', async () => {
  await imagine(`${client.url}/inside`);
  await setOptions(scene.ctx, { MjNotifyEnabled: 'false' });
  await imagine(`${CLIENT}/hook`);
  for (const drawing of drawings.tasks.values()) drawings.completeTask(drawing);
  await advanceUntil(scene.clock, async () => {
    const open = await scene.ctx.db.writer.selectFrom('task').where('ended_at', 'is', null).select('id').execute();
    expect(open).toEqual([]);
  });
  await passHour();
  expect(called).toEqual([]);
});

test('an invalid callback address counts as none', async () => {
  const id = await imagine('not an address');
  expect(id).toMatch(/^\w+$/);
});

test('calls the client from only one of two nodes that poll at the same time', async (context) => {
  const nodes = await startNodes({ originOverrides: { [CLIENT]: client.url } });
  if (nodes === undefined) return context.skip('PostgreSQL is not installed here');
  onTestFinished(() => nodes.close());
  const contexts = [nodes.first.ctx, nodes.second.ctx] as const;
  const [{ db }] = contexts;
  const ids = Array.from({ length: 30 }, (_, nth) => `task-${nth}`);
  for (const id of ids)
    await insertLocalTask(contexts[0], {
      id,
      request_id: id,
      user_id: nodes.first.user.id,
      api_key_id: null,
      group_symbol: 'default',
      client_format: 'kling-videos',
      action: 'text2video',
      model: 'kling-v1',
      prompt: '',
    });
  await db.writer
    .updateTable('task')
    .set({ notify_url: `${CLIENT}/hook`, notify_at: 1 })
    .execute();
  await vi.waitFor(
    async () => {
      await Promise.all(contexts.map((ctx) => ctx.changes.receive({ topic: 'tasks' })));
      const due = await db.writer.selectFrom('task').select('id').where('notify_at', 'is not', null).execute();
      expect(due).toEqual([]);
    },
    { timeout: 60_000, interval: 5 },
  );
  expect(bodies()).toHaveLength(ids.length);
});
