import { NANO_POINTS_PER_POINT, rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { notices } from '@switchyard/contract/operations/bell';
import { systemInfo } from '@switchyard/contract/operations/system-info';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';
import { startTestVendor, type TestVendor } from '../../testing/simulated-vendor.ts';

let scene: RelayScene;
let vendor: TestVendor;
let searches = 0;

beforeAll(async () => {
  scene = await startRelayScene();
  vendor = await startTestVendor({}, () => ({
    json: {
      id: 'chat',
      object: 'chat.completion',
      model: 'seeker',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Found.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 10, completion_tokens: 2, num_search_queries: searches },
    },
  }));
  await scene.newChannel({ base_url: vendor.url, models: ['seeker-*'] });
  await scene.admin.api(prices).create({ body: { model: 'seeker-*', rates: rateOf() } });
});
afterAll(async () => {
  await vendor.close();
  await scene.close();
});

function rateOf(webSearch: number | null = null) {
  return rates.parse({ input: NANO_POINTS_PER_POINT, output: NANO_POINTS_PER_POINT, webSearch });
}

async function search(model: string, count: number): Promise<void> {
  searches = count;
  await (await scene.chat(model)).text();
  await scene.waitUntilSettled();
}

async function missing() {
  await scene.admin.api(systemInfo).runJob({ params: { name: 'write-missing-rates' } });
  return scene.admin.api(prices).missingRates();
}

async function isNoticed(): Promise<boolean> {
  return (await scene.admin.api(notices).list()).some(({ kind }) => kind === 'rates-missing');
}

const params = { model: 'seeker-*' };

test('a search without a rate is remembered with the price that lacks it, once for all its calls', async () => {
  expect(await missing()).toEqual([]);
  await search('seeker-a', 2);
  expect(await missing()).toMatchObject([{ model: 'seeker-*', counter: 'webSearch', calls: 1 }]);
  await search('seeker-b', 1);
  await search('seeker-b', 0);
  expect(await missing()).toMatchObject([{ model: 'seeker-*', counter: 'webSearch', calls: 2 }]);
  expect(await isNoticed()).toBe(true);
});

test.each([
  ['a rate', NANO_POINTS_PER_POINT],
  ['a rate of 0', 0],
])('a price that was given %s misses none', async (_what, webSearch) => {
  const body = { ...params, rates: rateOf(webSearch) };
  await scene.admin.api(prices).update({ params, body });
  await search('seeker-a', 3);
  expect(await missing()).toEqual([]);
  expect(await isNoticed()).toBe(false);
});

test('a price that was saved without the rate again misses it at the next call', async () => {
  await scene.admin.api(prices).update({ params, body: { ...params, rates: rateOf() } });
  expect(await missing()).toEqual([]);
  await search('seeker-a', 1);
  expect(await missing()).toMatchObject([{ counter: 'webSearch' }]);
});

test('a chat with a price by the image misses a rate for tokens', async () => {
  const image = { model: 'seeker-draws', rates: rates.parse({ input: 0, output: 0, image: NANO_POINTS_PER_POINT }) };
  await scene.admin.api(prices).create({ body: image });
  const before = await missing();
  await search('seeker-draws', 0);
  expect(await missing()).toMatchObject([...before, { model: 'seeker-draws', counter: 'output', calls: 1 }]);
  const own = rates.parse({ ...image.rates, output: 1 });
  await scene.admin.api(prices).update({ params: { model: 'seeker-draws' }, body: { ...image, rates: own } });
  await search('seeker-draws', 0);
  expect(await missing()).toEqual(before);
});

test('only those who may read prices see it', async () => {
  const refused = 'This requires the permission prices.read, which you do not have';
  await expect(scene.user.api(prices).missingRates()).rejects.toThrow(refused);
});
