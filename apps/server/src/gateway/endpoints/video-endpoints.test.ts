import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import { userGroups } from '@switchyard/contract/accounts/user-groups';
import { rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  startVideoVendor,
  VIDEO_BYTES,
  type VideoVendor,
} from '../../../../../tests/scripted-tasks/scripted-videos.ts';
import { verifyLedger } from '../../ledger/ledger.ts';
import { advanceUntil } from '../../testing/advance-until.ts';
import { measureLongestBlockRepeatedly } from '../../testing/measure-longest-block.ts';
import { type RelayScene, removeShippedPrices, startRelayScene } from '../../testing/relay-scene.ts';
import { type Reply, startTestVendor } from '../../testing/simulated-vendor.ts';

/** Points per second of video; three times as much for the large size. */
const POINTS = 50_000;
const NANO = 1_000_000_000;
const OPENAI = 1;
const GEMINI = 25;
const NEW_API = 1019;

let scene: RelayScene;
let vendor: VideoVendor;
/** Of channels that come second. */
let other: VideoVendor;
/** In a group that the channel does not serve. */
let keyOfOthers: string;

beforeAll(async () => {
  vendor = await startVideoVendor();
  scene = await startRelayScene({ originOverrides: { 'https://files.example': 'http://localhost' } });
  await scene.newChannel({ type: OPENAI, models: ['sora*'], base_url: vendor.url });
  await removeShippedPrices(scene.admin, ['sora']);
  await scene.admin
    .api(prices)
    .create({
      body: {
        model: 'sora*',
        rates: rates.parse({ input: 0, output: 0, second: POINTS * NANO }),
        image_rates: { '1024x1792': 3 * POINTS * NANO },
      },
    });
  other = await startVideoVendor();
  for (const model of Array.from({ length: 9 }, (_, nth) => `twice-${nth + 1}`)) {
    await scene.newChannel({ type: OPENAI, models: [model], base_url: vendor.url, priority: 1 });
    await scene.newChannel({ type: OPENAI, models: [model], base_url: other.url });
  }
  const videoRates = rates.parse({ input: 0, output: 0, second: NANO });
  await scene.admin.api(prices).create({ body: { model: 'twice*', rates: videoRates } });
  await scene.newChannel({ type: NEW_API, models: ['generated'], base_url: other.url });
  const generated = rates.parse({ input: 0, output: 0, second: POINTS * NANO });
  await scene.admin.api(prices).create({ body: { model: 'generated', rates: generated } });
  const cheap = { symbol: 'cheap', name: 'Cheap', ratio: 0.1, api_rate: 0, public: true, enable: true };
  await scene.admin.api(userGroups).create({ body: cheap });
  keyOfOthers = await scene.newKey({ unlimited_quota: true, group: 'cheap' });
});
afterAll(async () => {
  await scene.close();
  await vendor.close();
  await other.close();
});
beforeEach(() => {
  vendor.videos.clear();
  vendor.submissions.length = 0;
  vendor.resetReplies();
});

/** The connection closes before the body is complete. */
const brokenOff = { headers: { 'content-length': '1000', connection: 'close' }, text: '{"id":"video_of_' };

interface Video {
  id: string;
  status: string;
  progress: number;
  seconds: string;
  error: { message: string } | null;
}

async function order(body: Record<string, unknown> = {}, path = '/v1/videos'): Promise<Video> {
  const response = await scene.post(path, { model: 'sora-2', prompt: 'a cat walks', ...body });
  expect(response.status).toBe(200);
  return (await response.json()) as Video;
}

const ask = (path: string, method = 'GET', key = scene.key) =>
  fetch(scene.url + path, { method, headers: { authorization: `Bearer ${key}` } });

/** Moves the clock ahead until the video is as it is wanted. */
async function until(id: string, status: string): Promise<Video> {
  return advanceUntil(scene.clock, async () => {
    const video = (await (await ask(`/v1/videos/${id}`)).json()) as Video;
    expect(video.status).toBe(status);
    return video;
  });
}

const available = () => scene.ctx.ledger.readAvailable(scene.user.id);

test('fetches a video from another host without the account’s key, and from no private address', async () => {
  const received: (string | undefined)[] = [];
  let host = 'localhost';
  const elsewhere = await startTestVendor({}, ({ headers }) => {
    received.push(headers['x-goog-api-key']?.toString());
    return { headers: { 'content-type': 'video/mp4' }, text: VIDEO_BYTES.toString() };
  });
  const name = 'models/veo-3/operations/1';
  const google = await startTestVendor({}, ({ method, target, headers }) => {
    if (headers['x-goog-api-key'] !== 'AIza-key') return { status: 403 };
    if (method === 'POST') return { json: { name } };
    const location = `${elsewhere.url.replace('127.0.0.1', host)}/1.mp4`;
    if (target.includes(':download')) return { status: 302, headers: { location } };
    const uri = 'https://generativelanguage.googleapis.com/v1beta/files/1:download?alt=media';
    const generatedSamples = [{ video: { uri } }];
    return { json: { name, done: true, response: { generateVideoResponse: { generatedSamples } } } };
  });
  await scene.newChannel({ type: GEMINI, models: ['veo-3'], base_url: google.url, key: 'AIza-key' });
  await scene.admin
    .api(prices)
    .create({ body: { model: 'veo-3', rates: rates.parse({ input: 0, output: 0, second: POINTS * NANO }) } });
  const { id } = await order({ model: 'veo-3' });
  await until(id, 'completed');
  const content = await ask(`/v1/videos/${id}/content?variant=video`);
  expect([content.status, await content.text()]).toEqual([200, VIDEO_BYTES.toString()]);
  expect(received).toEqual([undefined]);
  // Which OUTBOUND_ALLOW allows, and which is not the channel's own address.
  host = '127.0.0.1';
  expect((await ask(`/v1/videos/${id}/content`)).status).toBe(502);
  expect(received).toHaveLength(1);
  await Promise.all([google.close(), elsewhere.close()]);
});

describe('a video', () => {
  test('holds the price while a video is made, charges its seconds when it is done, and serves it', async () => {
    const before = await available();
    const ordered = await order({ seconds: '8' });
    expect(ordered).toMatchObject({ object: 'video', status: 'queued', seconds: '8', model: 'sora-2' });
    expect(before - (await available())).toBe(8 * POINTS);
    const balance = await scene.balance();

    Object.assign(vendor.getOnlyVideo(), { status: 'in_progress', progress: 40 });
    expect(await until(ordered.id, 'in_progress')).toMatchObject({ progress: 40 });
    expect(await scene.balance()).toBe(balance);
    expect((await ask(`/v1/videos/${ordered.id}/content`)).status).toBe(404);

    vendor.getOnlyVideo().status = 'completed';
    expect(await until(ordered.id, 'completed')).toMatchObject({ progress: 100, error: null });
    await scene.waitUntilSettled();
    expect(balance - (await scene.balance())).toBe(8 * POINTS);
    expect(before - (await available())).toBe(8 * POINTS);
    const content = await ask(`/v1/videos/${ordered.id}/content`);
    expect(Buffer.from(await content.arrayBuffer())).toEqual(VIDEO_BYTES);
    const record = (await scene.records()).at(-1);
    expect(record).toMatchObject({ type: 'consume', quota: 8 * POINTS, model: 'sora-2' });
    expect(JSON.parse(record?.detail ?? '{}')).toMatchObject({
      receipt: { lines: [{ counter: 'second', quantity: 8 }] },
    });
    expect(await verifyLedger(scene.ctx.db.writer)).toMatchObject({ problems: [] });
  });

  test('charges a video of another size at the price of that size', async () => {
    const before = await available();
    const { id } = await order({ seconds: '4', size: '1024x1792' });
    vendor.getOnlyVideo().status = 'completed';
    await until(id, 'completed');
    expect(before - (await available())).toBe(12 * POINTS);
  });

  test('charges the actual seconds when the provider makes a video shorter', async () => {
    const before = await available();
    const { id } = await order({ seconds: '12' });
    Object.assign(vendor.getOnlyVideo(), { status: 'completed', seconds: '4' });
    await until(id, 'completed');
    expect(before - (await available())).toBe(4 * POINTS);
  });

  test('charges nothing for a failed video, and reports the reason to its owner and in the log', async () => {
    const before = await available();
    const { id } = await order();
    Object.assign(vendor.getOnlyVideo(), {
      status: 'failed',
      error: { code: 'moderation_blocked', message: 'Your request was blocked. sk-upstream' },
    });
    const failed = await until(id, 'failed');
    expect(failed.error?.message).toContain('blocked');
    expect(failed.error?.message).not.toContain('sk-upstream');
    expect(await available()).toBe(before);
    await scene.waitUntilSettled();
    expect((await scene.records()).at(-1)).toMatchObject({ type: 'error', quota: 0 });
  });

  test('abandons a video that isn’t done in time, and charges nothing', async () => {
    const before = await available();
    const { id } = await order();
    vendor.overrideReply(`GET /v1/videos/${vendor.getOnlyVideo().id}`, () => ({ status: 500, text: 'oops' }));
    scene.clock.advance(86_400);
    const failed = async () => {
      const video = (await (await ask(`/v1/videos/${id}`)).json()) as Video;
      expect(video.error?.message).toContain('in time');
    };
    await advanceUntil(scene.clock, failed, 300);
    expect(await available()).toBe(before);
  });

  test('polls a video again after the provider fails for a while', async () => {
    const { id } = await order();
    const { id: theirs } = vendor.getOnlyVideo();
    vendor.overrideReply(`GET /v1/videos/${theirs}`, () => ({ status: 503, text: 'busy' }));
    await advanceUntil(scene.clock, async () =>
      expect(vendor.asked.filter((route) => route.endsWith(theirs)).length).toBeGreaterThan(2),
    );
    vendor.resetReplies();
    vendor.getOnlyVideo().status = 'completed';
    await until(id, 'completed');
  });

  test('hides a video from other users, who can’t find, fetch, remix, delete or list it', async () => {
    const { id } = await order();
    const stranger = await scene.createUser('user', { quota: 10_000_000 });
    const key = await scene.newKey({ unlimited_quota: true }, stranger);
    for (const path of [`/v1/videos/${id}`, `/v1/videos/${id}/content`])
      expect((await ask(path, 'GET', key)).status).toBe(404);
    expect((await ask(`/v1/videos/${id}`, 'DELETE', key)).status).toBe(404);
    expect((await scene.post(`/v1/videos/${id}/remix`, { prompt: 'x' }, { key })).status).toBe(404);
    expect(await (await ask('/v1/videos', 'GET', key)).json()).toMatchObject({ data: [], has_more: false });
    expect((await ask('/v1/videos', 'GET', 'sk-nobody')).status).toBe(401);
  });

  test('never shows its vendor’s name for it', async () => {
    const { id } = await order();
    const { id: theirs } = vendor.getOnlyVideo();
    expect(id).not.toContain(theirs);
    expect(await (await ask(`/v1/videos/${id}`)).text()).not.toContain(theirs);
  });

  test('can be deleted once it has ended', async () => {
    const { id } = await order();
    expect((await ask(`/v1/videos/${id}`, 'DELETE')).status).toBe(400);
    vendor.getOnlyVideo().status = 'completed';
    await until(id, 'completed');
    expect(await (await ask(`/v1/videos/${id}`, 'DELETE')).json()).toMatchObject({ deleted: true });
    expect((await ask(`/v1/videos/${id}`)).status).toBe(404);
  });
});

test('a remix is made where its origin was, with its length and size', async () => {
  const { id } = await order({ seconds: '8', size: '1024x1792' });
  const { id: theirs } = vendor.getOnlyVideo();
  vendor.getOnlyVideo().status = 'completed';
  await until(id, 'completed');
  const before = await available();
  const lies = { model: undefined, size: '720x1280', seconds: '1' };
  const remix = await order({ ...lies, prompt: 'at night' }, `/v1/videos/${id}/remix`);
  expect(remix).toMatchObject({ seconds: '8', size: '1024x1792', remixed_from_video_id: id });
  expect(before - (await available())).toBe(24 * POINTS);
  expect(vendor.submissions.at(-1)?.target).toBe(`/v1/videos/${theirs}/remix`);
  expect(JSON.parse(vendor.submissions.at(-1)?.body ?? '')).toEqual({ prompt: 'at night' });
  for (const video of vendor.videos.values()) video.status = 'completed';
  await until(remix.id, 'completed');
});

test.each([
  [{}, 5],
  [{ duration: 10 }, 10],
])('charges a remix of a video in another dialect (%j) for %d seconds', async (length, seconds) => {
  const theirs = `film-${seconds}`;
  const replies = {
    'POST /v1/video/generations': { task_id: theirs, status: 'queued' },
    [`GET /v1/video/generations/${theirs}`]: { task_id: theirs, status: 'succeeded', url: 'https://films.test/1' },
    [`POST /v1/videos/${theirs}/remix`]: { id: `remix-${seconds}`, object: 'video', status: 'queued' },
  };
  for (const [route, json] of Object.entries(replies)) other.overrideReply(route, () => ({ json }));
  onTestFinished(() => other.resetReplies());
  const response = await scene.post('/v1/video/generations', { model: 'generated', prompt: 'a cat', ...length });
  const { task_id: id } = (await response.json()) as { task_id: string };
  await advanceUntil(scene.clock, async () =>
    expect(await (await ask(`/v1/video/generations/${id}`)).json()).toMatchObject({ status: 'succeeded' }),
  );
  const before = await available();
  expect(await order({ model: undefined }, `/v1/videos/${id}/remix`)).toMatchObject({ seconds: `${seconds}` });
  expect(before - (await available())).toBe(seconds * POINTS);
});

test('a form with a picture reaches the vendor as it came', async () => {
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: 'sora-2', prompt: 'it moves', seconds: '4' }))
    form.set(name, value);
  form.set('input_reference', new Blob(['the picture'], { type: 'image/png' }), 'cat.png');
  const response = await fetch(`${scene.url}/v1/videos`, {
    method: 'POST',
    headers: { authorization: `Bearer ${scene.key}` },
    body: form,
  });
  expect(response.status).toBe(200);
  expect(vendor.submissions[0]?.body).toContain('the picture');
  expect(vendor.getOnlyVideo()).toMatchObject({ prompt: 'it moves' });
});

test('an order continues when its client disconnects before the response, and is found in the list', async () => {
  const leaver = await scene.createUser('user', { quota: 100_000_000 });
  const key = await scene.newKey({ unlimited_quota: true }, leaver);
  const taken = Promise.withResolvers<void>();
  const mayAnswer = Promise.withResolvers<void>();
  vendor.overrideReply('POST /v1/videos', async () => {
    taken.resolve();
    await mayAnswer.promise;
    return { json: { id: 'video_late', object: 'video', status: 'queued', seconds: '4', size: '720x1280' } };
  });
  const leaving = new AbortController();
  const left = scene.post('/v1/videos', { prompt: 'x' }, { key, signal: leaving.signal });
  await taken.promise;
  leaving.abort();
  await expect(left).rejects.toThrow('abort');
  mayAnswer.resolve();
  await vi.waitFor(
    async () => {
      const list = (await (await ask('/v1/videos', 'GET', key)).json()) as { data: Video[] };
      expect(list.data).toMatchObject([{ status: 'queued' }]);
    },
    { timeout: 60_000 },
  );
  expect(await scene.ctx.ledger.readAvailable(leaver.id)).toBe(100_000_000 - 4 * POINTS);
});

test('an order continues when its token is disabled before the response, and its cost is held', async () => {
  const owner = await scene.createUser('user', { quota: 100_000_000 });
  const { id, key } = await owner.api(apiKeys).create({ body: { name: 'test', unlimited_quota: true } });
  const taken = Promise.withResolvers<void>();
  const mayAnswer = Promise.withResolvers<void>();
  vendor.overrideReply('POST /v1/videos', async () => {
    taken.resolve();
    await mayAnswer.promise;
    return { json: { id: 'video_kept', object: 'video', status: 'queued', seconds: '4', size: '720x1280' } };
  });
  const submitted = scene.post('/v1/videos', { prompt: 'x' }, { key });
  await taken.promise;
  await owner.api(apiKeys).update({ query: {}, body: { id, status: 'disabled' } });
  await expect.poll(async () => (await scene.post('/v1/videos', { prompt: 'x' }, { key })).status).toBe(401);
  scene.clock.advance(1);
  mayAnswer.resolve();
  expect((await submitted).status).toBe(200);
  expect(await scene.ctx.ledger.readAvailable(owner.id)).toBe(100_000_000 - 4 * POINTS);
});

test.each([
  [{ seconds: 'long' }, 'seconds'],
  [{ seconds: '100000' }, 'seconds'],
  [{ size: 'wide' }, 'size'],
  [{ prompt: undefined }, 'prompt'],
])('an invalid submission is refused: %j', async (body, param) => {
  const response = await scene.post('/v1/videos', { model: 'sora-2', prompt: 'x', ...body });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { param } });
  expect(vendor.submissions).toEqual([]);
});

test('videos are listed in pages, the newest first', async () => {
  const lister = await scene.createUser('user', { quota: 100_000_000 });
  const key = await scene.newKey({ unlimited_quota: true }, lister);
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    const response = await scene.post('/v1/videos', { prompt: `nr ${count}` }, { key });
    ids.unshift(((await response.json()) as Video).id);
    scene.clock.advance(1);
  }
  const first = (await (await ask('/v1/videos?limit=2', 'GET', key)).json()) as { data: Video[]; last_id: string };
  expect(first).toMatchObject({ has_more: true });
  expect(first.data.map(({ id }) => id)).toEqual(ids.slice(0, 2));
  const rest = await (await ask(`/v1/videos?limit=2&after=${first.last_id}`, 'GET', key)).json();
  expect(rest).toMatchObject({ has_more: false, data: [{ id: ids[2] }] });
});

test('a remix has the price of its token, if its channel serves that token', async () => {
  const { id } = await order({ seconds: '4' });
  vendor.getOnlyVideo().status = 'completed';
  await until(id, 'completed');
  const remixed = await scene.post(`/v1/videos/${id}/remix`, { prompt: 'at night' }, { key: keyOfOthers });
  expect(remixed.status).toBe(503);
  expect(vendor.submissions).toHaveLength(1);
});

test('does not lower the price of a remix when the stored submission is truncated', async () => {
  const { id } = await order({
    junk: Array.from({ length: 9 }, () => 'a'.repeat(3_540)),
    seconds: '8',
    size: '1024x1792',
  });
  vendor.getOnlyVideo().status = 'completed';
  await until(id, 'completed');
  const before = await available();
  await order({ model: undefined, prompt: 'at night' }, `/v1/videos/${id}/remix`);
  expect(before - (await available())).toBe(24 * POINTS);
});

test('truncates additional fields of a stored submission', async () => {
  const { id } = await order({ junk: Array.from({ length: 1_000 }, () => 'a'.repeat(3_000)) });
  const { request } = await scene.ctx.db.writer
    .selectFrom('task')
    .select('request')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  expect(request.length).toBeLessThan(40_000);
  expect(JSON.parse(request)).toMatchObject({ prompt: 'a cat walks' });
});

test('keeps the fields of a stored submission that determine a price, however many others it has', async () => {
  const filler = Object.fromEntries(Array.from({ length: 4_000 }, (_, nth) => [`f${nth}`, nth]));
  const { id } = await order({ model: undefined, ...filler, mode: 'pro', resolution: '1080p' });
  const { request } = await scene.ctx.db.writer
    .selectFrom('task')
    .select('request')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  expect(JSON.parse(request)).toMatchObject({ mode: 'pro', resolution: '1080p', prompt: 'a cat walks' });
  expect(request.length).toBeLessThan(70_000);
});

test('an absurd length is the vendor’s mistake, and the requested length is charged', async () => {
  const before = await available();
  const { id } = await order({ seconds: '4' });
  Object.assign(vendor.getOnlyVideo(), { status: 'completed', seconds: '4000' });
  await until(id, 'completed');
  expect(before - (await available())).toBe(4 * POINTS);
});

test('the size that was made is charged', async () => {
  const before = await available();
  const { id } = await order({ seconds: '4' });
  Object.assign(vendor.getOnlyVideo(), { status: 'completed', size: '1024x1792' });
  await until(id, 'completed');
  expect(before - (await available())).toBe(12 * POINTS);
});

test.each(['Seconds', 'DURATION', 'accountfilter'])('%s is no way to write a field', async (field) => {
  const answer = await scene.post('/v1/videos', { model: 'sora-2', prompt: 'a cat', [field]: '12' });
  expect(answer.status).toBe(400);
  expect(vendor.submissions).toHaveLength(0);
});

describe('a failed submission', () => {
  test.each<[string, string, Reply, number]>([
    ['a lost answer', 'twice-1', 'hang-up', 0],
    ['a gateway in between that lost it', 'twice-2', { status: 504, text: 'time-out' }, 0],
    ['an answer that says nothing', 'twice-3', { json: {} }, 0],
    ['a refusal', 'twice-4', { status: 503, json: { error: { message: 'overloaded' } } }, 1],
    ['a limit', 'twice-5', { status: 429, json: { error: { message: 'slow down' } } }, 1],
    ['an answer that breaks off', 'twice-6', brokenOff, 0],
    ['a vendor that stopped waiting', 'twice-7', { status: 408, text: 'time-out' }, 0],
    ['a network that lost it', 'twice-8', { status: 520, text: 'unknown error' }, 0],
    ['a network that stopped waiting', 'twice-9', { status: 524, text: 'time-out' }, 0],
  ])('by %s is given to another vendor only where it was not taken', async (_why, model, reply, elsewhere) => {
    other.videos.clear();
    vendor.overrideReply('POST /v1/videos', () => reply);
    const answer = await scene.post('/v1/videos', { model, prompt: 'a cat walks' });
    expect(answer.status === 200 ? 1 : 0).toBe(elsewhere);
    expect(other.videos.size).toBe(elsewhere);
  });
});

test('lists a hundred videos with long status updates in turns that let others run', async () => {
  const { id } = await order();
  const { writer } = scene.ctx.db;
  const row = await writer.selectFrom('task').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const vendorStatus = { a: Array.from({ length: 5_000 }, (_, i) => ({ i, word: 'some status words of a vendor' })) };
  const long = { ...row, status: 'succeeded' as const, ended_at: row.created_at };
  const news = JSON.stringify({ works: [], said: vendorStatus });
  for (let nth = 0; nth < 100; nth += 1)
    await writer
      .insertInto('task')
      .values({ ...long, news, id: `video_long_${nth}`, upstream_id: `long-${nth}`, request_id: `long-${nth}` })
      .execute();
  let shown = 0;
  const turn = await measureLongestBlockRepeatedly(async () => {
    const list = (await (await ask('/v1/videos?limit=100')).json()) as { data: unknown[] };
    shown = list.data.length;
  });
  expect(shown).toBe(100);
  expect(turn).toBeLessThan(80);
});
