import { prices } from '@switchyard/contract/prices';
import { rates } from '@switchyard/contract/rates';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { FILM, type FilmVendor, startFilmVendor } from '../../../../tests/scripted-tasks/scripted-kling.ts';
import { type RelayScene, startRelayScene } from '../testing/relay-scene.ts';

const NANO = 1_000_000_000;
const KLING = 53;
const PRO = 490_000;
const PER_SECOND = 14_000;

let scene: RelayScene;
let vendor: FilmVendor;

beforeAll(async () => {
  vendor = await startFilmVendor();
  scene = await startRelayScene();
  await scene.newChannel({ type: KLING, models: ['kling*'], base_url: vendor.url, key: 'kling-key' });
  await scene.admin.api(prices).create({
    body: {
      model: 'kling-video_kling-v1_pro_10',
      type: 'times',
      rates: rates.parse({ input: PRO * NANO, output: 0 }),
    },
  });
  await scene.admin.api(prices).create({
    body: { model: 'kling-v1*', rates: rates.parse({ input: 0, output: 0, second: PER_SECOND * NANO }) },
  });
});
afterAll(async () => {
  await scene.close();
  await vendor.close();
});
beforeEach(() => {
  vendor.films.clear();
  vendor.orders.length = 0;
});

const get = (path: string, key = scene.key) =>
  fetch(scene.url + path, { headers: { authorization: `Bearer ${key}` } });
const available = () => scene.ctx.ledger.availableOf(scene.user.id);

async function until<T>(path: string, isSo: (answer: T) => boolean): Promise<T> {
  return vi.waitFor(
    async () => {
      scene.clock.advance(10);
      const answer = (await (await get(path)).json()) as T;
      expect(isSo(answer)).toBe(true);
      return answer;
    },
    { timeout: 15_000, interval: 300 },
  );
}

interface Film {
  code: number;
  data: { task_id: string; task_status: string; task_status_msg: string; task_result?: unknown };
}

test('a film has the price of its model, mode and length, and is told in Kling’s words', async () => {
  const before = available();
  const asked = {
    model_name: 'kling-v1',
    mode: 'pro',
    duration: '10',
    prompt: 'a cat',
    callback_url: 'http://x',
  };
  const response = await scene.post('/kling/v1/videos/text2video', asked);
  const { code, data } = (await response.json()) as Film;
  expect([response.status, code, data.task_status]).toEqual([200, 0, 'submitted']);
  expect(before - available()).toBe(PRO);
  const { callback_url: _callback, ...sent } = asked;
  expect(vendor.orders).toEqual([{ path: '/v1/videos/text2video', body: sent }]);
  vendor.only().task_status = 'processing';
  const path = `/kling/v1/videos/text2video/${data.task_id}`;
  await until<Film>(path, (film) => film.data.task_status === 'processing');
  vendor.make('10.041');
  const done = await until<Film>(path, (film) => film.data.task_status === 'succeed');
  expect(done.data.task_result).toMatchObject({
    videos: [{ url: `${vendor.url}/film.mp4`, duration: '10.041' }],
  });
  expect(before - available()).toBe(PRO);
  expect((await get(`/kling/v1/videos/image2video/${data.task_id}`)).status).toBe(404);
});

test('a film that fails costs nothing', async () => {
  const before = available();
  const response = await scene.post('/kling/v1/videos/image2video', {
    model_name: 'kling-v1',
    mode: 'pro',
    duration: '10',
    image: 'aGVsbG8=',
  });
  const { data } = (await response.json()) as Film;
  Object.assign(vendor.only(), {
    task_status: 'failed',
    task_status_msg: 'Failure to pass the risk control system',
  });
  const path = `/kling/v1/videos/image2video/${data.task_id}`;
  const failed = await until<Film>(path, (film) => film.data.task_status === 'failed');
  expect(failed.data.task_status_msg).toContain('risk control');
  expect(available()).toBe(before);
});

test('OpenAI’s clients get a film of Kling, by the second, in the shape that is nearest', async () => {
  const before = available();
  const response = await scene.post('/v1/videos', { model: 'kling-v1-6', prompt: 'a cat', seconds: '8' });
  const { id } = (await response.json()) as { id: string };
  expect(before - available()).toBe(8 * PER_SECOND);
  expect(vendor.orders).toEqual([
    {
      path: '/v1/videos/text2video',
      body: { model_name: 'kling-v1-6', prompt: 'a cat', duration: '10', aspect_ratio: '9:16' },
    },
  ]);
  vendor.make('10.041');
  await until<{ status: string }>(`/v1/videos/${id}`, ({ status }) => status === 'completed');
  expect(before - available()).toBe(10 * PER_SECOND);
  expect(await (await get(`/v1/videos/${id}/content`)).text()).toBe(FILM);
});

test('a picture that the film begins with goes along, as a file of a form', async () => {
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: 'kling-v1-6', prompt: 'it moves', seconds: '4' }))
    form.set(name, value);
  form.set('input_reference', new Blob(['the picture'], { type: 'image/png' }), 'cat.png');
  const response = await fetch(`${scene.url}/v1/videos`, {
    method: 'POST',
    headers: { authorization: `Bearer ${scene.key}` },
    body: form,
  });
  expect(response.status).toBe(200);
  expect(vendor.orders).toEqual([
    {
      path: '/v1/videos/image2video',
      body: {
        model_name: 'kling-v1-6',
        prompt: 'it moves',
        duration: '5',
        image: Buffer.from('the picture').toString('base64'),
      },
    },
  ]);
});

test('New API’s clients get a film of Kling', async () => {
  const response = await scene.post('/v1/video/generations', {
    model: 'kling-v1-6',
    prompt: 'a cat',
    duration: 5,
    width: 1280,
    height: 720,
  });
  const { task_id: id } = (await response.json()) as { task_id: string };
  vendor.make('5.1');
  const done = await until<{ status: string; url: string }>(
    `/v1/video/generations/${id}`,
    ({ status }) => status === 'succeeded',
  );
  expect(await (await get(new URL(done.url, scene.url).pathname)).text()).toBe(FILM);
});

test.each([
  ['/kling/v1/videos/text2video', { duration: 'long', prompt: 'x' }, 400],
  ['/kling/v1/videos/text2video', { mode: 'best', prompt: 'x' }, 400],
  ['/v1/videos', { model: 'kling-v1-6', prompt: 'x', seconds: '30' }, 400],
  ['/v1/video/generations', { model: 'kling-v1-6', prompt: 'x', duration: -1 }, 400],
])('what cannot be made is refused: %s %j', async (path, body, status) => {
  const before = available();
  expect((await scene.post(path, body)).status).toBe(status);
  expect(vendor.orders).toEqual([]);
  expect(available()).toBe(before);
});
