import { prices } from '@switchyard/contract/prices';
import { rates } from '@switchyard/contract/rates';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startVideoVendor, type VideoVendor } from '../../../../tests/scripted-tasks/scripted-videos.ts';
import { advanceUntil } from '../testing/advance-until.ts';
import { type RelayScene, startRelayScene } from '../testing/relay-scene.ts';
import { setOptions } from '../testing/set-options.ts';

const MOST = 3;
const OPENAI = 1;

let scene: RelayScene;
let vendor: VideoVendor;
let key: string;

beforeAll(async () => {
  vendor = await startVideoVendor();
  scene = await startRelayScene();
  await scene.newChannel({ type: OPENAI, models: ['film'], base_url: vendor.url });
  const second = rates.parse({ input: 0, output: 0, second: 1_000_000_000 });
  await scene.admin.api(prices).create({ body: { model: 'film', rates: second } });
  await setOptions(scene.ctx, { OpenTasksPerUser: String(MOST) });
});
afterAll(async () => {
  await scene.close();
  await vendor.close();
});
beforeEach(async () => {
  vendor.videos.clear();
  vendor.orders.length = 0;
  const user = await scene.createUser('user', { quota: 1_000_000 });
  key = await scene.newKey({ unlimited_quota: true }, user);
});

const order = (as = key) => scene.post('/v1/videos', { model: 'film', prompt: 'a cat' }, { key: as });

async function orderAtOnce(count: number): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: count }, () => order()));
  return answers.map(({ status }) => status).toSorted((a, b) => a - b);
}

test('of orders sent at the same instant no more are taken than may be open', async () => {
  expect(await orderAtOnce(20)).toEqual([
    ...Array<number>(MOST).fill(200),
    ...Array<number>(20 - MOST).fill(429),
  ]);
  expect(vendor.orders).toHaveLength(MOST);
});

test('what is open keeps the next out, with a reason, until it has ended; and nobody else', async () => {
  expect(await orderAtOnce(MOST)).toEqual([200, 200, 200]);
  const refused = await order();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
  expect(await refused.json()).toMatchObject({
    error: { code: 'rate_limit_exceeded', message: expect.stringContaining('3 tasks') },
  });
  expect((await order(scene.key)).status).toBe(200);
  for (const video of vendor.videos.values()) video.status = 'completed';
  await advanceUntil(scene.clock, async () => expect((await order()).status).toBe(200));
});

test('an order that came to nothing takes no place', async () => {
  vendor.instead('POST /v1/videos', () => ({ status: 400, json: { error: { message: 'no' } } }));
  expect(await orderAtOnce(MOST)).toEqual([400, 400, 400]);
  vendor.undo();
  expect(await orderAtOnce(MOST)).toEqual([200, 200, 200]);
});

test('0 is no limit', async () => {
  await setOptions(scene.ctx, { OpenTasksPerUser: '0' });
  expect(await orderAtOnce(MOST + 2)).toEqual([200, 200, 200, 200, 200]);
  await setOptions(scene.ctx, { OpenTasksPerUser: String(MOST) });
});
