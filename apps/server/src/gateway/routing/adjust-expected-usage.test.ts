/** Cost of a video that one dialect requests and another vendor generates: by the parameters sent to that vendor. */

import { rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';
import { startTestVendor, type TestVendor } from '../../testing/simulated-vendor.ts';

const NANO = 1_000_000_000;
/** Points for a second of a variant without a separate price. */
const PLAIN = 1_000;
const DEAR = 7_000;
const ONE_API = 1019;
/** Path of xAI's video submissions. */
const BUSY = '/v1/videos/generations';

let scene: RelayScene;
let vendor: TestVendor;
let sent: unknown[] = [];

const types = {
  'ray-2': 1207,
  'vidu2.0': 1208,
  gen4_turbo: 1209,
  'MiniMax-Hailuo-02': 27,
  'veo-3.1': 25,
  'wan2.5-t2v-preview': 17,
  'grok-imagine-video': 56,
  seedance: 1101,
} as const;

beforeAll(async () => {
  let count = 0;
  vendor = await startTestVendor({}, ({ method, target, body }) => {
    if (method !== 'POST') return { status: 404, json: {} };
    if (target === BUSY && body.includes('busy')) return { status: 503, json: {} };
    sent.push(JSON.parse(body));
    const id = `task-${(count += 1)}`;
    const name = `models/veo-3.1/operations/${count}`;
    const output = { task_id: id, task_status: 'PENDING' };
    return target.includes('/video/generations')
      ? { json: { task_id: id, status: 'queued' } }
      : { json: { id, task_id: id, request_id: id, name, output, status: 'queued' } };
  });
  scene = await startRelayScene();
  for (const [model, type] of Object.entries(types))
    await scene.newChannel({ type, models: [model], base_url: vendor.url, key: 'key' });
  // In both cases the first channel makes none.
  const ways = [
    { model: 'busy-first', first: types['grok-imagine-video'], second: types['ray-2'] },
    { model: 'short-first', first: types['ray-2'], second: types['grok-imagine-video'] },
  ];
  for (const { model, first, second } of ways) {
    await scene.newChannel({ type: first, models: [model], base_url: vendor.url, key: 'key', priority: 1 });
    await scene.newChannel({ type: second, models: [model], base_url: vendor.url, key: 'key' });
  }
  await scene.newChannel({ type: ONE_API, models: ['film-*'], base_url: vendor.url, key: 'key' });
  const dear = { second: PLAIN * NANO, input: 0, output: 0 };
  const image_rates = Object.fromEntries(
    ['4k', '1080p', '1080P', '768P', '1104:832', '1280x720'].map((variant) => [variant, DEAR * NANO]),
  );
  for (const model of [...Object.keys(types), ...ways.map((way) => way.model), 'film-1']) {
    await scene.admin.api(prices).create({ body: { model, rates: rates.parse(dear), image_rates } });
  }
  await scene.admin
    .api(prices)
    .create({ body: { model: 'film-by-token', rates: rates.parse({ input: 0, output: NANO }) } });
});
afterAll(async () => {
  await scene.close();
  await vendor.close();
});
beforeEach(() => {
  sent = [];
});

const available = () => scene.ctx.ledger.readAvailable(scene.user.id);

async function order(path: string, body: object) {
  const before = await available();
  const response = await scene.post(path, { prompt: 'a cat', ...body });
  const answer = (await response.json()) as { error?: { message: string } };
  return { status: response.status, held: before - (await available()), message: answer.error?.message };
}

test.each([
  ['ray-2', { seconds: '6', size: '1280x720' }, { duration: '9s', resolution: '720p' }, 9 * PLAIN],
  ['ray-2', { seconds: '4', resolution: '4K' }, { duration: '5s', resolution: '4k' }, 5 * DEAR],
  ['vidu2.0', { seconds: '5', size: '1920x1080' }, { duration: 8, resolution: '1080p' }, 8 * DEAR],
  ['vidu2.0', { seconds: '4', size: '32x32' }, { duration: 4, resolution: '360p' }, 4 * PLAIN],
  ['gen4_turbo', { seconds: '5', ratio: '1104:832' }, { duration: 5, ratio: '1104:832' }, 5 * DEAR],
  ['gen4_turbo', { seconds: '1', size: '1280x720' }, { duration: 2, ratio: '1280:720' }, 2 * PLAIN],
  ['MiniMax-Hailuo-02', { seconds: '4', size: '720x1280' }, { duration: 6, resolution: '768P' }, 6 * DEAR],
  ['MiniMax-Hailuo-02', { seconds: '4', resolution: '512p' }, { duration: 6, resolution: '512P' }, 6 * PLAIN],
  ['grok-imagine-video', { seconds: '4', size: '10x10' }, { duration: 4, resolution: '480p' }, 4 * PLAIN],
  ['seedance', { seconds: '1', size: '10x10' }, { duration: 2, resolution: '480p' }, 2 * PLAIN],
  ['seedance', { seconds: '4', resolution: '1080p' }, { duration: 4, resolution: '1080p' }, 4 * DEAR],
])('%s makes the nearest to %j, and that is held', async (model, asked, made, held) => {
  expect(await order('/v1/videos', { model, ...asked })).toMatchObject({ status: 200, held });
  expect(sent).toEqual([expect.objectContaining(made)]);
});

test('at Google and Alibaba the parameters have the same meaning', async () => {
  const veo = { model: 'veo-3.1', seconds: '5', resolution: '1080p' };
  expect(await order('/v1/videos', veo)).toMatchObject({ held: 6 * DEAR });
  const wan = { model: 'wan2.5-t2v-preview', seconds: '6', size: '10x11' };
  expect(await order('/v1/videos', wan)).toMatchObject({ held: 10 * PLAIN });
  expect(sent).toMatchObject([
    { parameters: { durationSeconds: 6, resolution: '1080p' } },
    { parameters: { duration: 10, size: '624*624' } },
  ]);
});

test.each([
  ['busy-first', '6', 9],
  ['short-first', '10', 10],
])('adjusts the hold to another channel’s output when it is tried: %s', async (model, seconds, held) => {
  expect(await order('/v1/videos', { model, seconds })).toMatchObject({ status: 200, held: held * PLAIN });
  expect(sent).toHaveLength(1);
});

test.each([
  ['ray-2', { seconds: '10' }, /5, 9 seconds/],
  ['ray-2', { resolution: '8k' }, /540p, 720p, 1080p, 4k/],
  ['gen4_turbo', { ratio: '1:1' }, /1280:720/],
  ['seedance', { prompt: 'a cat --rs 1080p --dur 12' }, /--resolution/],
])('%s cannot generate %j: refused, with the alternatives', async (model, asked, says) => {
  const answer = await order('/v1/videos', { model, ...asked });
  expect(answer).toMatchObject({ status: 400, held: 0 });
  expect(answer.message).toMatch(says);
  expect(sent).toEqual([]);
});

test.each([
  ['gen4_turbo', { audio: true }],
  ['seedance', { generate_audio: true }],
  ['seedance', { service_tier: 'priority' }],
  ['vidu2.0', { bgm: true }],
  ['wan2.5-t2v-preview', { audio: true }],
])('%s is not sent %j, which would be dearer without another price', async (model, field) => {
  expect(await order('/v1/videos', { model, seconds: '5', ...field })).toMatchObject({ status: 200 });
  expect(JSON.stringify(sent)).not.toContain(Object.keys(field).join());
});

describe('another gateway as upstream', () => {
  const path = '/v1/video/generations';

  test('uses the priced value of every field', async () => {
    const body = { model: 'film-1', seconds: 4.2, width: 1280, height: 720, seed: 7 };
    const quality = { mode: 'pro', resolution: '4k', metadata: { duration: 60 }, quality_level: 'high' };
    expect(await order(path, { ...body, ...quality })).toMatchObject({ status: 200, held: 5 * DEAR });
    const videoFields = { duration: 5, seconds: '5', width: 1280, height: 720, size: '1280x720' };
    expect(sent).toEqual([{ model: 'film-1', prompt: 'a cat', seed: 7, ...videoFields }]);
  });

  test('reads of OpenAI’s clients nothing beside it', async () => {
    const body = { model: 'film-1', seconds: '4', size: '1280x720' };
    const extraFields = { duration: 60, resolution: '4k', n: 4, metadata: { seconds: 60 } };
    expect(await order('/v1/videos', { ...body, ...extraFields })).toMatchObject({ held: 4 * DEAR });
    expect(sent).toEqual([{ ...body, prompt: 'a cat' }]);
  });

  test.each([
    { duration: 5, seconds: '10' },
    { size: '1280x720', width: 1920, height: 1080 },
    { width: 1280 },
    { size: '4K' },
    { n: 2 },
    { duration: [12] },
    { seconds: true },
  ])('is not sent what contradicts itself, or means nothing: %j', async (fields) => {
    expect(await order(path, { model: 'film-1', ...fields })).toMatchObject({ status: 400, held: 0 });
    expect(sent).toEqual([]);
  });

  test('holds at least the price of the smallest video for a tiny size at another gateway', async () => {
    await order(path, { model: 'film-by-token', duration: 5, size: '10x10' });
    const tiny = await order(path, { model: 'film-by-token', duration: 5, size: '10x10' });
    expect(tiny.held).toBe((864 * 480 * 24 * 5) / 1024);
  });
});
