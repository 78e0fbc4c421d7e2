import { userGroups } from '@switchyard/contract/accounts/user-groups';
import { rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type KlingVendor, startKlingVendor, VIDEO_BYTES } from '../../../../../tests/scripted-tasks/scripted-kling.ts';
import { advanceUntil } from '../../testing/advance-until.ts';
import { type RelayScene, removeShippedPrices, startRelayScene } from '../../testing/relay-scene.ts';

const NANO = 1_000_000_000;
const KLING = 53;
const PRO = 490_000;
const PER_SECOND = 14_000;
const PRO_SECOND = 49_000;
const EFFECT = 140_000;
const LIP_SYNC_SECOND = 7_000;
const EXTENSION_SECOND = 3_000;
const EXTENSION_PRO_SECOND = 10_500;
const SOUND = 350_000;

let scene: RelayScene;
let vendor: KlingVendor;

beforeAll(async () => {
  vendor = await startKlingVendor();
  scene = await startRelayScene();
  await scene.newChannel({
    type: KLING,
    models: ['kling*'],
    base_url: vendor.url,
    key: 'kling-key',
    model_mapping: { 'kling-video_kling-v9_std_5': 'kling-video_kling-v1-6_pro_10' },
  });
  await removeShippedPrices(scene.admin, ['kling']);
  await scene.admin
    .api(prices)
    .create({
      body: {
        model: 'kling-video_kling-v1_pro_10',
        type: 'times',
        rates: rates.parse({ input: PRO * NANO, output: 0 }),
      },
    });
  await scene.admin
    .api(prices)
    .create({
      body: {
        model: 'kling-v1*',
        rates: rates.parse({ input: 0, output: 0, second: PER_SECOND * NANO }),
        image_rates: { pro: PRO_SECOND * NANO },
      },
    });
  const times = { 'kling-effects-squish_kling-v1-6_pro_10': EFFECT, 'kling-video_kling-v2-6_pro-sound_5': SOUND };
  for (const [model, points] of Object.entries(times))
    await scene.admin
      .api(prices)
      .create({ body: { model, type: 'times', rates: rates.parse({ input: points * NANO, output: 0 }) } });
  const seconds = { 'kling-lip-sync': LIP_SYNC_SECOND, 'kling-video-extend': EXTENSION_SECOND };
  const image_rates = { 'kling-v1/pro': EXTENSION_PRO_SECOND * NANO };
  for (const [model, points] of Object.entries(seconds))
    await scene.admin
      .api(prices)
      .create({ body: { model, rates: rates.parse({ input: 0, output: 0, second: points * NANO }), image_rates } });
});
afterAll(async () => {
  await scene.close();
  await vendor.close();
});
beforeEach(() => {
  vendor.tasks.clear();
  vendor.submissions.length = 0;
});

const get = (path: string, key = scene.key) => fetch(scene.url + path, { headers: { authorization: `Bearer ${key}` } });
const available = () => scene.ctx.ledger.readAvailable(scene.user.id);

async function until<T>(path: string, isSo: (answer: T) => boolean): Promise<T> {
  return advanceUntil(scene.clock, async () => {
    const answer = (await (await get(path)).json()) as T;
    expect(isSo(answer)).toBe(true);
    return answer;
  });
}

interface Film {
  code: number;
  data: { task_id: string; task_status: string; task_status_msg: string; task_result?: unknown };
}

test('prices a video by model, mode and duration, and returns Kling’s fields', async () => {
  const before = await available();
  const body = { model_name: 'kling-v1', mode: 'pro', duration: '10', prompt: 'a cat', callback_url: 'http://x' };
  const response = await scene.post('/kling/v1/videos/text2video', body);
  const { code, data } = (await response.json()) as Film;
  expect([response.status, code, data.task_status]).toEqual([200, 0, 'submitted']);
  expect(before - (await available())).toBe(PRO);
  const { callback_url: _callback, ...sent } = body;
  expect(vendor.submissions).toEqual([{ path: '/v1/videos/text2video', body: sent }]);
  vendor.getOnlyTask().task_status = 'processing';
  const path = `/kling/v1/videos/text2video/${data.task_id}`;
  await until<Film>(path, (video) => video.data.task_status === 'processing');
  vendor.completeTask('10.041');
  const done = await until<Film>(path, (video) => video.data.task_status === 'succeed');
  expect(done.data.task_result).toMatchObject({ videos: [{ url: `${vendor.url}/film.mp4`, duration: '10.041' }] });
  expect(before - (await available())).toBe(PRO);
  expect((await get(`/kling/v1/videos/image2video/${data.task_id}`)).status).toBe(404);
});

test('charges nothing for a failed video', async () => {
  const before = await available();
  const response = await scene.post('/kling/v1/videos/image2video', {
    model_name: 'kling-v1',
    mode: 'pro',
    duration: '10',
    image: 'aGVsbG8=',
  });
  const { data } = (await response.json()) as Film;
  Object.assign(vendor.getOnlyTask(), {
    task_status: 'failed',
    task_status_msg: 'Failure to pass the risk control system',
  });
  const path = `/kling/v1/videos/image2video/${data.task_id}`;
  const failed = await until<Film>(path, (video) => video.data.task_status === 'failed');
  expect(failed.data.task_status_msg).toContain('risk control');
  expect(await available()).toBe(before);
});

test.each([
  ['is asked again, and then believed', undefined, 'failed', 0],
  ['is charged for the film once it is there', '10.0', 'succeed', PRO],
])('a vendor that reports success without a video %s', async (_what, seconds, status, charge) => {
  const before = await available();
  const order = { model_name: 'kling-v1', mode: 'pro', duration: '10', prompt: 'a cat' };
  const { data } = (await (await scene.post('/kling/v1/videos/text2video', order)).json()) as Film;
  Object.assign(vendor.getOnlyTask(), { task_status: 'succeed', task_result: { videos: [] } });
  const { db } = scene.ctx;
  const task = db.writer.selectFrom('task').selectAll().where('id', '=', data.task_id);
  const look = async () => {
    const { failed_looks: before } = await task.executeTakeFirstOrThrow();
    return advanceUntil(
      scene.clock,
      async () => {
        const looked = await task.executeTakeFirstOrThrow();
        expect(looked.ended_at !== null || looked.failed_looks > before).toBe(true);
        return looked;
      },
      300,
    );
  };
  while ((await look()).failed_looks <= 2);
  expect(await task.executeTakeFirstOrThrow()).toMatchObject({ status: 'queued', ended_at: null });
  if (seconds !== undefined) vendor.completeTask(seconds);
  while ((await look()).ended_at === null);
  const path = `/kling/v1/videos/text2video/${data.task_id}`;
  const body = (await (await get(path)).json()) as Film;
  expect(body.data.task_status).toBe(status);
  expect(before - (await available())).toBe(charge);
});

test('serves a Kling video to OpenAI clients, charged by the second, with a duration that Kling supports', async () => {
  const before = await available();
  const response = await scene.post('/v1/videos', { model: 'kling-v1-6', prompt: 'a cat', seconds: '8' });
  const { id } = (await response.json()) as { id: string };
  expect(before - (await available())).toBe(10 * PER_SECOND);
  expect(vendor.submissions).toEqual([
    {
      path: '/v1/videos/text2video',
      body: { model_name: 'kling-v1-6', prompt: 'a cat', duration: '10', aspect_ratio: '9:16' },
    },
  ]);
  vendor.completeTask('10.041');
  await until<{ status: string }>(`/v1/videos/${id}`, ({ status }) => status === 'completed');
  expect(before - (await available())).toBe(10 * PER_SECOND);
  expect(await (await get(`/v1/videos/${id}/content`)).text()).toBe(VIDEO_BYTES);
});

test('sends the first frame of a video as a form file', async () => {
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
  expect(vendor.submissions).toEqual([
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

test('serves a Kling video to New API clients', async () => {
  const response = await scene.post('/v1/video/generations', {
    model: 'kling-v1-6',
    prompt: 'a cat',
    duration: 5,
    width: 1280,
    height: 720,
  });
  const { task_id: id } = (await response.json()) as { task_id: string };
  vendor.completeTask('5.1');
  const done = await until<{ status: string; url: string }>(
    `/v1/video/generations/${id}`,
    ({ status }) => status === 'succeeded',
  );
  expect(await (await get(new URL(done.url, scene.url).pathname)).text()).toBe(VIDEO_BYTES);
});

describe('a Kling task at another path', () => {
  const order = async (path: string, body: object) => {
    const before = await available();
    const response = await scene.post(`/kling/v1/videos/${path}`, body);
    return { status: response.status, held: before - (await available()), sent: vendor.submissions.at(-1)?.body };
  };

  test('has a separate price, and is sent as it was priced', async () => {
    const input = { model_name: 'kling-v1-6', mode: 'pro', duration: '10', image: 'aGVsbG8=' };
    const effect = { effect_scene: 'squish', input };
    // The vendor reads none of these here, and who priced by them would be cheated.
    const cheap = { model_name: 'kling-v1', mode: 'std', duration: '5' };
    expect(await order('effects', { ...cheap, ...effect })).toEqual({ status: 200, held: EFFECT, sent: effect });
    const speech = { input: { video_url: 'http://films.test/1.mp4', mode: 'text2video', text: 'hi' } };
    expect(await order('lip-sync', { ...cheap, ...speech })).toEqual({
      status: 200,
      held: 60 * LIP_SYNC_SECOND,
      sent: speech,
    });
  });

  test('leaves out what would make it dearer without another price', async () => {
    const submission = { model_name: 'kling-v1', mode: 'pro', duration: '10', prompt: 'a cat' };
    expect(await order('text2video', { ...submission, voice_list: [{ voice_id: 'v' }] })).toEqual({
      status: 200,
      held: PRO,
      sent: submission,
    });
  });

  test('has audio in the name of its price', async () => {
    const submission = { model_name: 'kling-v2-6', mode: 'pro', duration: '5', sound: 'on', prompt: 'a cat' };
    expect(await order('text2video', submission)).toEqual({ status: 200, held: SOUND, sent: submission });
  });

  test('sends Kling the model, mode and duration that the channel sets', async () => {
    const submission = { model_name: 'kling-v9', duration: '5', prompt: 'a cat' };
    expect(await order('text2video', submission)).toMatchObject({
      sent: { model_name: 'kling-v1-6', mode: 'pro', duration: '10', prompt: 'a cat' },
    });
  });
});

describe('a task that continues a video', () => {
  const submitVideo = async (key = scene.key, ignored: Record<string, unknown> = {}) => {
    const submission = { ...ignored, prompt: 'a cat', model_name: 'kling-v1', mode: 'pro', duration: '10' };
    const response = await scene.post('/kling/v1/videos/text2video', submission, { key });
    const { data } = (await response.json()) as { data: { task_id: string } };
    vendor.completeTask('10');
    const path = `/kling/v1/videos/text2video/${data.task_id}`;
    return advanceUntil(scene.clock, async () => {
      const response = await fetch(scene.url + path, { headers: { authorization: `Bearer ${key}` } });
      const { data } = (await response.json()) as { data: { task_result?: { videos: { id: string }[] } } };
      expect(data.task_result?.videos).toHaveLength(1);
      return data.task_result?.videos[0]?.id ?? '';
    });
  };
  const bodies = (video_id: unknown) => ({
    'video-extend': { video_id, prompt: 'and on' },
    'lip-sync': { input: { video_id, mode: 'text2video', text: 'hi', task_id: 'film-1' } },
  });

  test('the vendor gets its own id of the video', async () => {
    const id = await submitVideo();
    expect(id).not.toBe('v');
    for (const [path, body] of Object.entries(bodies(id)))
      expect((await scene.post(`/kling/v1/videos/${path}`, body)).status).toBe(200);
    expect(vendor.submissions.slice(-2).map(({ body }) => body)).toEqual([
      { video_id: 'v', prompt: 'and on' },
      { input: { video_id: 'v', mode: 'text2video', text: 'hi' } },
    ]);
  });

  const filler = Object.fromEntries(Array.from({ length: 4_000 }, (_, nth) => [`f${nth}`, nth]));

  test.each([
    ['a plain request', {}],
    ['a request full of ignored fields', filler],
  ])('an extension of %s is charged for its own seconds, not for those of the whole video', async (_what, ignored) => {
    const id = await submitVideo(scene.key, ignored);
    vendor.tasks.clear();
    const before = await available();
    const response = await scene.post('/kling/v1/videos/video-extend', bodies(id)['video-extend']);
    const { data } = (await response.json()) as Film;
    expect(before - (await available())).toBe(5 * EXTENSION_PRO_SECOND);
    vendor.completeTask('14.9');
    const path = `/kling/v1/videos/video-extend/${data.task_id}`;
    const done = await until<Film>(path, (video) => video.data.task_status === 'succeed');
    expect(done.data.task_result).toMatchObject({ videos: [{ duration: '14.9' }] });
    expect(before - (await available())).toBe(5 * EXTENSION_PRO_SECOND);
  });

  test('an extension of an extension is charged by the model and the mode of the first video', async () => {
    const id = await submitVideo();
    vendor.tasks.clear();
    const forged = { ...bodies(id)['video-extend'], model_name: 'kling-v1-6', mode: 'std' };
    const response = await scene.post('/kling/v1/videos/video-extend', forged);
    const { data } = (await response.json()) as Film;
    vendor.completeTask('14.9');
    const path = `/kling/v1/videos/video-extend/${data.task_id}`;
    await until<Film>(path, (video) => video.data.task_status === 'succeed');
    vendor.tasks.clear();
    const before = await available();
    const next = await scene.post('/kling/v1/videos/video-extend', bodies(`${data.task_id}-1`)['video-extend']);
    expect(next.status).toBe(200);
    expect(before - (await available())).toBe(5 * EXTENSION_PRO_SECOND);
  });

  test('a video can be continued at a channel that offers nothing but videos', async () => {
    await scene.admin.api(userGroups).create({ body: { symbol: 'films', name: 'Films', public: true } });
    const own = { type: KLING, base_url: vendor.url, key: 'kling-key' };
    await scene.newChannel({ ...own, models: ['kling-video_*'], group: ['films'] });
    const key = await scene.newKey({ unlimited_quota: true, group: 'films' });
    const id = await submitVideo(key);
    for (const [path, body] of Object.entries(bodies(id)))
      expect((await scene.post(`/kling/v1/videos/${path}`, body, { key })).status).toBe(200);
    const byUrl = { input: { video_url: 'https://a.example/1.mp4', mode: 'text2video', text: 'hi' } };
    expect((await scene.post('/kling/v1/videos/lip-sync', byUrl, { key })).status).toBe(404);
  });

  test('the video of another user, or one by the vendor’s own id, is refused', async () => {
    const stranger = await scene.createUser('user', { quota: 10_000_000 });
    const id = await submitVideo(await scene.newKey({ unlimited_quota: true }, stranger));
    const own = id.replace(/-1$/, '-2');
    const orders = vendor.submissions.length;
    for (const named of [id, own, 'v', 'film-1', 'film-1-1', 7, '', [id], { id }])
      for (const [path, body] of Object.entries(bodies(named)))
        expect((await scene.post(`/kling/v1/videos/${path}`, body)).status).toBeOneOf([400, 404]);
    expect(vendor.submissions).toHaveLength(orders);
  });

  test('a video that the task does not have is refused', async () => {
    const id = (await submitVideo()).replace(/-1$/, '-2');
    const orders = vendor.submissions.length;
    const response = await scene.post('/kling/v1/videos/video-extend', bodies(id)['video-extend']);
    expect(response.status).toBe(400);
    expect(vendor.submissions).toHaveLength(orders);
  });
});

test.each([
  [{ mode: 'pro' }, { mode: 'pro' }, 5 * PRO_SECOND],
  [{ sound: 'on' }, {}, 5 * PER_SECOND],
])('of OpenAI’s clients, too, %j is priced or not sent', async (more, sent, held) => {
  const before = await available();
  await scene.post('/v1/videos', { model: 'kling-v1-6', prompt: 'a cat', seconds: '4', ...more });
  expect(vendor.submissions.at(-1)?.body).toEqual({
    model_name: 'kling-v1-6',
    prompt: 'a cat',
    duration: '5',
    aspect_ratio: '9:16',
    ...sent,
  });
  expect(before - (await available())).toBe(held);
});

test.each([
  ['/kling/v1/videos/text2video', { duration: 'long', prompt: 'x' }, 400],
  ['/kling/v1/videos/text2video', { duration: '7', prompt: 'x' }, 400],
  ['/kling/v1/videos/text2video', { model_name: 'kling-v1_std_5', prompt: 'x' }, 400],
  ['/kling/v1/videos/effects', { input: { image: 'aGVsbG8=' } }, 400],
  ['/v1/videos', { model: 'kling-v1-6', prompt: 'x', mode: 'best' }, 400],
  ['/kling/v1/videos/text2video', { mode: 'best', prompt: 'x' }, 400],
  ['/v1/videos', { model: 'kling-v1-6', prompt: 'x', seconds: '30' }, 400],
  ['/v1/video/generations', { model: 'kling-v1-6', prompt: 'x', duration: -1 }, 400],
])('rejects an impossible submission: %s %j', async (path, body, status) => {
  const before = await available();
  expect((await scene.post(path, body)).status).toBe(status);
  expect(vendor.submissions).toEqual([]);
  expect(await available()).toBe(before);
});
