import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { users } from '@switchyard/contract/accounts/users';
import { rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type KlingVendor, startKlingVendor } from '../../../../tests/scripted-tasks/scripted-kling.ts';
import { startVideoVendor, type VideoVendor } from '../../../../tests/scripted-tasks/scripted-videos.ts';
import { removeExpiredArtifacts } from '../artifacts/artifacts.ts';
import { getBucketUrl } from '../artifacts/bucket-store.ts';
import { createLog } from '../platform/log.ts';
import { advanceUntil } from '../testing/advance-until.ts';
import { type RelayScene, startRelayScene } from '../testing/relay-scene.ts';
import { startScriptedBucket } from '../testing/scripted-bucket.ts';
import { setOptions } from '../testing/set-options.ts';
import { type Reply, startTestVendor } from '../testing/simulated-vendor.ts';
import { startTestApp } from '../testing/start-test-app.ts';

const types = { openai: 1, kling: 53 };
/** Keep a browser from running an artifact, and from calling other hosts for it. */
const protectiveHeaders = {
  'content-security-policy': expect.stringMatching(/^sandbox; default-src 'none';/) as string,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};
const DAY_SECONDS = 86_400;
const PUBLIC = 'https://gateway.example';
const MP4 = Buffer.concat([Buffer.from('\0\0\0\x20ftypisom\0\0\x02\0'), Buffer.alloc(5_000, 'film')]);
const BASE_OPTIONS = {
  ResultStorage: 'folder',
  ResultDays: '0',
  ResultMaxMegabytes: '1',
  ResultTotalGigabytes: '1',
  ServerAddress: PUBLIC,
};

/** Lines that the server has logged. */
const log: string[] = [];
let scene: RelayScene;
let films: KlingVendor;
let videos: VideoVendor;
let works: string;

beforeAll(async () => {
  [films, videos, scene] = await Promise.all([
    startKlingVendor(),
    startVideoVendor(),
    startRelayScene({
      originOverrides: { 'https://files.example': 'http://localhost' },
      log: createLog('info', { write: (line) => void log.push(line) }),
    }),
  ]);
  await scene.newChannel({ type: types.kling, models: ['kling*'], base_url: films.url, key: 'kling-key' });
  await scene.newChannel({ type: types.openai, models: ['sora*'], base_url: videos.url });
  for (const model of ['kling*', 'sora*'])
    await scene.admin
      .api(prices)
      .create({ body: { model, type: 'times', rates: rates.parse({ input: 1, output: 0 }) } });
  works = join(scene.ctx.config.dataDir, 'works');
});
afterAll(async () => {
  await scene.close();
  await Promise.all([films.close(), videos.close()]);
});
beforeEach(async () => {
  await setOptions(scene.ctx, BASE_OPTIONS);
  films.overrideReply('GET /film.mp4', () => videoReply(MP4));
});
afterEach(async () => {
  films.resetReplies();
  films.tasks.clear();
  videos.resetReplies();
  videos.videos.clear();
  await scene.ctx.db.writer.deleteFrom('task').execute();
  await scene.ctx.db.writer.deleteFrom('stored_work').where('task_id', 'is', null).execute();
  await removeExpiredArtifacts(scene.ctx);
});

const videoReply = (text: Buffer): Reply => ({ headers: { 'content-type': 'text/html' }, text });
const rows = () => scene.ctx.db.writer.selectFrom('stored_work').selectAll().execute();
const only = async () => (await rows())[0] ?? expect.fail('nothing is stored');
const files = (): string[] => (existsSync(works) ? readdirSync(works) : []);

const eventually = (check: () => Promise<void>, seconds?: number) =>
  advanceUntil(
    scene.clock,
    async () => {
      await scene.ctx.changes.publish({ topic: 'works' });
      await check();
    },
    seconds,
  );

async function orderFilm(): Promise<string> {
  const answer = await scene.post('/kling/v1/videos/text2video', { model_name: 'kling-v1', prompt: 'a cat' });
  return ((await answer.json()) as { data: { task_id: string } }).data.task_id;
}
const becomes = (state: string, step?: number) =>
  eventually(async () => expect((await rows()).map((row) => row.state)).toEqual([state]), step);

async function keptFilm(): Promise<string> {
  const id = await orderFilm();
  films.completeTask('5.0');
  await becomes('kept');
  return id;
}

/** Returns the URL that a Kling client gets. */
async function addressOf(id: string): Promise<string> {
  const answer = await fetch(`${scene.url}/kling/v1/videos/text2video/${id}`, {
    headers: { authorization: `Bearer ${scene.key}` },
  });
  const { data } = (await answer.json()) as { data: { task_result: { videos: { url: string }[] } } };
  return data.task_result.videos[0]?.url ?? '';
}
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(scene.url + path.replace(PUBLIC, ''), { headers, redirect: 'manual' });

describe('a stored artifact', () => {
  test('still comes when its vendor has forgotten it, as what its bytes are, and does nothing in a browser', async () => {
    const address = await addressOf(await keptFilm());
    expect(address).toMatch(new RegExp(`^${PUBLIC}/v1/stored/[0-9a-f]{40}$`));
    films.overrideReply('GET /film.mp4', () => ({ status: 403, text: 'expired' }));
    const answer = await get(address);
    expect(answer.status).toBe(200);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(MP4);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'video/mp4',
      'content-length': String(MP4.length),
      ...protectiveHeaders,
      'accept-ranges': 'bytes',
    });
  });

  test('comes in parts, as players ask for them', async () => {
    const address = await addressOf(await keptFilm());
    const requestCount = films.asked.length;
    const part = async (range: string) => {
      const answer = await get(address, { range });
      const { status, headers } = answer;
      return { status, told: headers.get('content-range'), bytes: Buffer.from(await answer.arrayBuffer()) };
    };
    const whole = MP4.length;
    expect(await part('bytes=4-7')).toEqual({ status: 206, told: `bytes 4-7/${whole}`, bytes: MP4.subarray(4, 8) });
    expect(await part('bytes=5000-')).toMatchObject({ status: 206, bytes: MP4.subarray(5_000) });
    expect(await part('bytes=-10')).toMatchObject({ status: 206, bytes: MP4.subarray(whole - 10) });
    expect(await part(`bytes=0-${whole * 2}`)).toMatchObject({ status: 206, bytes: MP4 });
    expect(await part(`bytes=${whole}-`)).toMatchObject({ status: 416, told: `bytes */${whole}` });
    expect(await part('bytes=-0')).toMatchObject({ status: 416 });
    for (const odd of ['bytes=', 'bytes=-', 'bytes=0-1,4-5', 'lines=1-2'])
      expect(await part(odd)).toMatchObject({ status: 200, bytes: MP4 });
    expect(films.asked).toHaveLength(requestCount);
  });

  test('serves a stored artifact to its owner in the console and by key, regardless of the vendor', async () => {
    const answer = await scene.post('/v1/videos', { model: 'sora-2', prompt: 'a dog' });
    const { id } = (await answer.json()) as { id: string };
    const video = videos.getOnlyVideo();
    videos.overrideReply(`GET /v1/videos/${video.id}/content`, () => videoReply(MP4));
    video.status = 'completed';
    await becomes('kept');
    videos.overrideReply(`GET /v1/videos/${video.id}/content`, () => ({ status: 404 }));
    const own = await get(`/v1/videos/${id}/content`, { authorization: `Bearer ${scene.key}` });
    expect(Buffer.from(await own.arrayBuffer())).toEqual(MP4);
    const shown = await scene.user.fetch(`/api/task/${id}/work/0`);
    expect(Buffer.from(await shown.arrayBuffer())).toEqual(MP4);
    const stranger = await scene.createUser('user');
    expect((await stranger.fetch(`/api/task/${id}/work/0`)).status).toBe(404);
  });

  test('finds an artifact under its address and no other', async () => {
    await keptFilm();
    const { id } = await only();
    writeFileSync(join(scene.ctx.config.dataDir, 'secret'), 'secret');
    for (const path of ['../secret', '..%2fsecret', `${id}.part`, id.slice(1), id.toUpperCase(), `${id}/..`, ''])
      expect((await get(`/v1/stored/${path}`)).status, path).toBe(404);
    expect(files()).toEqual([id]);
  });

  test('goes with its task, and with its owner', async () => {
    const leaver = await scene.createUser('user', { quota: 1_000_000 });
    const key = await scene.newKey({ unlimited_quota: true }, leaver);
    await scene.post('/kling/v1/videos/text2video', { model_name: 'kling-v1', prompt: 'x' }, { key });
    films.completeTask('5.0');
    await becomes('kept');
    await scene.admin.api(users).manage({ body: { username: leaver.username, action: 'delete' } });
    const { id } = await only();
    expect((await get(`/v1/stored/${id}`)).status).toBe(404);
    await removeExpiredArtifacts(scene.ctx);
    expect(await rows()).toEqual([]);
    expect(files()).toEqual([]);
  });

  test('charges an artifact whose owner left before it arrived, and leaves no row', async () => {
    const leaver = await scene.createUser('user', { quota: 1_000_000 });
    const key = await scene.newKey({ unlimited_quota: true }, leaver);
    await scene.post('/kling/v1/videos/text2video', { model_name: 'kling-v1', prompt: 'x' }, { key });
    await scene.admin.api(users).manage({ body: { username: leaver.username, action: 'delete' } });
    const tasks = scene.ctx.db.writer.selectFrom('task').selectAll();
    const left = await tasks.executeTakeFirstOrThrow();
    films.getOnlyTask().task_status = 'processing';
    const requestCount = films.asked.length;
    await eventually(async () => expect(films.asked.length).toBeGreaterThan(requestCount + 1));
    expect(await tasks.executeTakeFirstOrThrow()).toMatchObject({ news: left.news, status: 'queued' });
    films.completeTask('5.0');
    await eventually(async () => expect(await tasks.execute()).toEqual([]));
    expect(await rows()).toEqual([]);
    // Two concurrent polls may both find the end; the second does not wait for the commit of the first.
    const charge = async (): Promise<number> => (await scene.ctx.ledger.readCharge(left.request_id)) ?? 0;
    await expect.poll(charge).toBeGreaterThan(0);
  });

  test('comes from its vendor where its file is gone', async () => {
    const address = await addressOf(await keptFilm());
    rmSync(works, { recursive: true });
    expect(Buffer.from(await (await get(address)).arrayBuffer())).toEqual(MP4);
  });
});

test('the oldest go when the folder has no room', async () => {
  await keptFilm();
  const first = await only();
  // Simulated, because it would take a gigabyte.
  await scene.ctx.db.writer
    .updateTable('stored_work')
    .set({ bytes: 2 ** 30 })
    .execute();
  films.tasks.clear();
  await orderFilm();
  films.completeTask('5.0');
  await eventually(async () =>
    expect(Object.fromEntries((await rows()).map(({ id, state }) => [id === first.id, state]))).toEqual({
      true: 'expired',
      false: 'kept',
    }),
  );
  await expect.poll(() => files()).not.toContain(first.id);
  expect((await get(`/v1/stored/${first.id}`)).status).toBe(410);
});

test('a full folder removes artifacts of the user with the most bytes, not the oldest ones', async () => {
  await keptFilm();
  const others = await only();
  const owner = (await scene.createUser('user')).id;
  const large = (nth: number) => ({
    ...others,
    task_id: null,
    id: String(nth).repeat(40),
    user_id: owner,
    bytes: 2 ** 29,
    created_at: others.created_at + nth,
  });
  await scene.ctx.db.writer
    .insertInto('stored_work')
    .values([large(1), large(2)])
    .execute();
  await removeExpiredArtifacts(scene.ctx);
  expect(Object.fromEntries((await rows()).map(({ id, state }) => [id, state]))).toEqual({
    [others.id]: 'kept',
    [large(1).id]: 'expired',
    [large(2).id]: 'kept',
  });
});

test('a vendor has four concurrent downloads, regardless of its hosts', async () => {
  await keptFilm();
  const { channel_id } = await scene.ctx.db.writer.selectFrom('task').select('channel_id').executeTakeFirstOrThrow();
  expect((await only()).lane).toMatch(new RegExp(`^channel:${channel_id} [0-3]$`));
});

test('no more than four works go to a bucket at a time, of which parts are in memory', async () => {
  const bucket = await startScriptedBucket();
  onTestFinished(() => bucket.close());
  await keptFilm();
  const kept = await only();
  await setOptions(scene.ctx, bucket.options);
  bucket.injectFault = () => 'silence';
  const waiting = Array.from({ length: 6 }, (_, nth) => ({
    ...kept,
    id: String(nth).repeat(40),
    task_id: null,
    user_id: scene.user.id,
    lane: `answers ${nth}`,
    store: getBucketUrl(scene.ctx),
    state: 'waiting' as const,
  }));
  for (const { id } of waiting) writeFileSync(join(works, id), MP4);
  await scene.ctx.db.writer.insertInto('stored_work').values(waiting).execute();
  await eventually(async () => expect(bucket.asked).toHaveLength(4));
  for (let looks = 0; looks < 10; looks += 1) {
    await scene.ctx.changes.publish({ topic: 'works' });
    await rows();
  }
  expect(bucket.asked).toHaveLength(4);
  for (const { id } of waiting) rmSync(join(works, id));
});

test('stores an artifact after a redirect to another host, which receives no credentials', async () => {
  const keys: unknown[] = [];
  const elsewhere = await startTestVendor({}, ({ headers }) => {
    keys.push(headers.authorization);
    return videoReply(MP4);
  });
  onTestFinished(() => elsewhere.close());
  await scene.post('/v1/videos', { model: 'sora-2', prompt: 'a dog' });
  const video = videos.getOnlyVideo();
  const location = `${elsewhere.url.replace('127.0.0.1', 'localhost')}/film.mp4`;
  videos.overrideReply(`GET /v1/videos/${video.id}/content`, () => ({ status: 302, headers: { location } }));
  video.status = 'completed';
  await becomes('kept');
  expect(keys).toEqual([undefined]);
});

test.each([
  ['an address inside', (inside: string) => inside, 0],
  ['itself for ever', () => '/film.mp4', 4],
])('a work that is sent on to %s is not kept', async (_what, location, asked) => {
  const inside = await startTestVendor({}, () => videoReply(MP4));
  onTestFinished(() => inside.close());
  const headers = { location: location(`${inside.url}/film.mp4`) };
  films.overrideReply('GET /film.mp4', () => ({ status: 302, headers }));
  await orderFilm();
  films.completeTask('5.0');
  const before = films.asked.length;
  const failures = (): number => log.filter((line) => line.includes('could not be stored yet')).length;
  const failuresBefore = failures();
  await eventually(async () => expect((await only()).tries).toBe(1));
  await expect.poll(failures).toBe(failuresBefore + 1);
  expect((await only()).state).toBe('waiting');
  expect(inside.asked).toEqual([]);
  if (asked > 0) expect(films.asked.slice(before).filter((route) => route === 'GET /film.mp4')).toHaveLength(asked);
});

test('serves an artifact from its vendor until it is stored, and retries the copy with growing delays, up to a limit', async () => {
  films.overrideReply('GET /film.mp4', () => ({ status: 503, text: 'busy' }));
  const id = await orderFilm();
  films.completeTask('5.0');
  // A try is counted when it begins, and logged when it has failed.
  const failures = () => log.filter((line) => line.includes('an artifact could not be stored yet')).length;
  const before = failures();
  await eventually(async () => expect(failures() - before).toBe(2));
  expect(await only()).toMatchObject({ state: 'waiting', tries: 2 });
  films.overrideReply('GET /film.mp4', () => videoReply(MP4));
  expect((await get(await addressOf(id))).status).toBe(200);
  films.overrideReply('GET /film.mp4', () => 'hang-up');
  await becomes('failed', 3_600);
  expect((await only()).tries).toBe(6);
  expect(files()).toEqual([]);
  films.overrideReply('GET /film.mp4', () => videoReply(MP4));
  expect((await get(await addressOf(id))).status).toBe(200);
});

test.each([
  ['a page', Buffer.from('<!doctype html><script>alert(1)</script>')],
  ['a drawing with scripts', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')],
  ['nothing', Buffer.alloc(0)],
  ['more than is kept', Buffer.concat([MP4, Buffer.alloc(1_048_576)])],
])('does not store %s, and does not retry it', async (_what, bytes) => {
  films.overrideReply('GET /film.mp4', () => videoReply(bytes));
  await orderFilm();
  films.completeTask('5.0');
  await becomes('failed');
  expect((await only()).tries).toBe(1);
  expect(files()).toEqual([]);
});

test.each([
  ['an address inside that is not its vendor’s is not fetched', '127.0.0.1', 'waiting'],
  ['an address outside is kept', 'localhost', 'kept'],
])('a work at %s', async (_what, host, state) => {
  const elsewhere = await startTestVendor({}, () => videoReply(MP4));
  onTestFinished(() => elsewhere.close());
  const url = `${elsewhere.url.replace('127.0.0.1', host)}/film.mp4`;
  films.tasks.clear();
  await orderFilm();
  films.completeTask('5.0', url);
  await eventually(async () => expect((await only()).tries).toBe(1));
  await expect.poll(async () => (await only()).state).toBe(state);
  const task = await scene.ctx.db.writer.selectFrom('task').select('id').executeTakeFirstOrThrow();
  // Nor is it shown from there.
  expect((await scene.user.fetch(`/api/task/${task.id}/work/0`)).status).toBe(state === 'kept' ? 200 : 502);
  expect(elsewhere.asked).toHaveLength(state === 'kept' ? 1 : 0);
});

test('a vendor who hangs keeps the works of no other waiting', async () => {
  const goesOn = Promise.withResolvers<void>();
  films.overrideReply('GET /film.mp4', async () => {
    await goesOn.promise;
    return videoReply(MP4);
  });
  await orderFilm();
  films.completeTask('5.0');
  await eventually(async () => expect((await only()).tries).toBe(1));
  const answer = await scene.post('/v1/videos', { model: 'sora-2', prompt: 'a dog' });
  expect(answer.status).toBe(200);
  const video = videos.getOnlyVideo();
  videos.overrideReply(`GET /v1/videos/${video.id}/content`, () => videoReply(MP4));
  video.status = 'completed';
  await eventually(async () =>
    expect((await rows()).map(({ state }) => state).toSorted()).toEqual(['kept', 'waiting']),
  );
  goesOn.resolve();
  await eventually(async () =>
    expect((await rows()).map(({ state, tries }) => [state, tries])).toEqual([
      ['kept', 1],
      ['kept', 1],
    ]),
  );
});

test('does not store a truncated response', async () => {
  films.overrideReply('GET /film.mp4', () => ({
    headers: { 'content-type': 'video/mp4', 'content-length': String(MP4.length + 100) },
    text: MP4,
  }));
  await orderFilm();
  films.completeTask('5.0');
  await eventually(async () => expect((await only()).tries).toBeGreaterThan(0));
  expect((await only()).state).toBe('waiting');
});

test('leaves artifacts at their vendors while the folder is not writable, and stores them later', async () => {
  rmSync(works, { recursive: true, force: true });
  // A file in its place: also the super-user cannot write below it.
  writeFileSync(works, '');
  const id = await orderFilm();
  films.completeTask('5.0');
  await eventually(async () => expect((await only()).tries).toBe(1));
  expect((await get(await addressOf(id))).status).toBe(200);
  rmSync(works);
  await becomes('kept');
});

test('resumes interrupted copies after a restart, and leaves no partial file', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-works-'));
  const folder = join(dataDir, 'works');
  const vendor = await startKlingVendor();
  const before = await startRelayScene({ dataDir });
  await before.newChannel({ type: types.kling, models: ['kling*'], base_url: vendor.url, key: 'kling-key' });
  await before.admin
    .api(prices)
    .create({ body: { model: 'kling*', type: 'times', rates: rates.parse({ input: 1, output: 0 }) } });
  await setOptions(before.ctx, BASE_OPTIONS);
  vendor.overrideReply('GET /film.mp4', () => 'silence');
  await before.post('/kling/v1/videos/text2video', { model_name: 'kling-v1', prompt: 'a cat' });
  vendor.completeTask('5.0');
  await advanceUntil(before.clock, () => expect(vendor.asked).toContain('GET /film.mp4'));
  // Running downloads get a few seconds to end.
  let isClosed = false;
  const closing = before.close().then(() => (isClosed = true));
  await advanceUntil(before.clock, () => expect(isClosed).toBe(true), 5);
  await closing;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${'0'.repeat(40)}.part`), 'half a film');
  vendor.overrideReply('GET /film.mp4', () => videoReply(MP4));
  const after = await startTestApp({ dataDir });
  await advanceUntil(after.clock, async () => {
    const [work] = await after.ctx.db.writer.selectFrom('stored_work').selectAll().execute();
    expect(work).toMatchObject({ state: 'kept', tries: 1, bytes: MP4.length });
    expect(readdirSync(folder)).toEqual([work?.id]);
    expect(readFileSync(join(folder, work?.id ?? ''))).toEqual(MP4);
  });
  await after.close();
  await vendor.close();
  rmSync(dataDir, { recursive: true });
});

describe('without artifact storage', () => {
  test('clients get the vendor’s address if the operator wants it so, where it takes no credentials', async () => {
    await setOptions(scene.ctx, { ResultStorage: 'link' });
    const id = await orderFilm();
    films.completeTask('5.0');
    await eventually(async () => expect(await addressOf(id)).toBe(`${films.url}/film.mp4`));
    expect(await rows()).toEqual([]);
    // The console's own pages show nothing of other sites.
    expect((await scene.user.fetch(`/api/task/${id}/work/0`)).status).toBe(200);
  });

  test('an image, video or audio by the vendor’s type is a file if browsers would show it as a document', async () => {
    await setOptions(scene.ctx, { ResultStorage: 'proxied' });
    const id = await orderFilm();
    films.completeTask('5.0');
    await eventually(async () => expect((await scene.user.fetch(`/api/task/${id}/work/0`)).status).toBe(200));
    const shownAs = async (type: string) => {
      films.overrideReply('GET /film.mp4', () => ({ headers: { 'content-type': type }, text: '<html/>' }));
      const { headers } = await scene.user.fetch(`/api/task/${id}/work/0`);
      expect(Object.fromEntries(headers)).toMatchObject(protectiveHeaders);
      return headers.get('content-type');
    };
    for (const type of [
      'image/svg+xml',
      'image/SVG+xml',
      'Image/Svg+Xml',
      'video/x+xml',
      'audio/xhtml+XML',
      'text/html',
    ])
      expect(await shownAs(type), type).toBe('application/octet-stream');
    for (const type of ['image/png', 'video/mp4', 'Video/x-matroska', 'audio/mpeg', 'image/vnd.microsoft.icon'])
      expect(await shownAs(type), type).toBe(type);
  });

  test('nothing is stored', async () => {
    await setOptions(scene.ctx, { ResultStorage: 'proxied' });
    const id = await orderFilm();
    films.completeTask('5.0');
    await eventually(async () => expect(await addressOf(id)).toBe(`${films.url}/film.mp4`));
    expect(await rows()).toEqual([]);
  });
});

test('stores an artifact in a bucket, serves it from there, and removes it, also when another bucket is set', async () => {
  const bucket = await startScriptedBucket();
  onTestFinished(() => bucket.close());
  await setOptions(scene.ctx, bucket.options);
  bucket.injectFault = () => ({ status: 503, body: '' });
  const id = await orderFilm();
  films.completeTask('5.0');
  await eventually(async () => expect((await only()).tries).toBe(1));
  bucket.injectFault = undefined;
  await becomes('kept');
  await setOptions(scene.ctx, { ResultStorage: 'proxied', ResultS3Prefix: '' });
  films.overrideReply('GET /film.mp4', () => ({ status: 403, text: 'expired' }));
  const address = await addressOf(id);
  expect(address).toContain('/v1/stored/');
  const part = await get(address, { range: 'bytes=4-7' });
  expect(part.headers.get('content-range')).toBe(`bytes 4-7/${MP4.length}`);
  expect(await part.text()).toBe('ftyp');
  expect(files()).toEqual([]);
  await scene.ctx.db.writer.deleteFrom('task').execute();
  // A bucket that refuses keeps the row, by which it is tried again.
  bucket.injectFault = () => ({ status: 503, body: '' });
  await expect(removeExpiredArtifacts(scene.ctx)).rejects.toThrow('1 artifacts could not be removed');
  expect(await rows()).toHaveLength(1);
  bucket.injectFault = undefined;
  await removeExpiredArtifacts(scene.ctx);
  expect(await rows()).toEqual([]);
  expect(bucket.objects.size).toBe(0);
});

test('files are for the operator’s eyes only', async () => {
  await keptFilm();
  expect(statSync(works).mode & 0o777).toBe(0o700);
  expect(statSync(join(works, (await only()).id)).mode & 0o777).toBe(0o600);
});

test('an artifact is deleted after its retention, which its address reports', async () => {
  await setOptions(scene.ctx, { ResultDays: '2' });
  const id = await keptFilm();
  const address = await addressOf(id);
  scene.clock.advance(2 * DAY_SECONDS);
  // Whether or not the job came by.
  for (const tidy of [async () => {}, () => removeExpiredArtifacts(scene.ctx)]) {
    await tidy();
    const answer = await get(address);
    expect(answer.status).toBe(410);
    expect(await answer.json()).toMatchObject({ error: { code: 'work_expired' } });
  }
  expect(files()).toEqual([]);
  expect(await addressOf(id)).toBe(address);
});
