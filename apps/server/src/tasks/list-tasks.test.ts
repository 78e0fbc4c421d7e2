import { users } from '@switchyard/contract/accounts/users';
import { rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { type Task, tasks } from '@switchyard/contract/tasks/tasks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startVideoVendor, VIDEO_BYTES, type VideoVendor } from '../../../../tests/scripted-tasks/scripted-videos.ts';
import { verifyLedger } from '../ledger/ledger.ts';
import { advanceUntil } from '../testing/advance-until.ts';
import { type RelayScene, removeShippedPrices, startRelayScene } from '../testing/relay-scene.ts';
import { setOptions } from '../testing/set-options.ts';
import type { SignedInUser } from '../testing/start-test-app.ts';
import { removeOldTasks } from './tasks.ts';

const POINTS = 1_000;
const NANO = 1_000_000_000;
const OPENAI = 1;

let scene: RelayScene;
let vendor: VideoVendor;
let other: SignedInUser;
let taskId: string;
let failed: string;
let foreign: string;

const order = async (key = scene.key): Promise<string> => {
  const answer = await scene.post('/v1/videos', { model: 'sora-2', prompt: 'a cat walks' }, { key });
  return ((await answer.json()) as { id: string }).id;
};
const all = (query: Parameters<ReturnType<typeof list>>[0] = {}) => list(scene.admin)(query);
const list =
  (who: SignedInUser) =>
  async (query: Record<string, string | number> = {}): Promise<readonly Task[]> =>
    (await who.api(tasks).list({ query })).data;

beforeAll(async () => {
  vendor = await startVideoVendor();
  scene = await startRelayScene();
  await scene.newChannel({ type: OPENAI, name: 'films', models: ['sora*'], base_url: vendor.url });
  await removeShippedPrices(scene.admin, ['sora']);
  await scene.admin
    .api(prices)
    .create({ body: { model: 'sora*', rates: rates.parse({ input: 0, output: 0, second: POINTS * NANO }) } });
  other = await scene.createUser('user', { quota: 1_000_000 });
  taskId = await order();
  vendor.getOnlyVideo().status = 'completed';
  await advanceUntil(scene.clock, async () => expect((await all({ task_id: taskId }))[0]?.status).toBe('succeeded'));
  failed = await order();
  for (const video of vendor.videos.values())
    if (video.status === 'queued')
      Object.assign(video, { status: 'failed', error: { code: 'blocked', message: 'Not this.' } });
  await advanceUntil(scene.clock, async () => expect((await all({ task_id: failed }))[0]?.status).toBe('failed'));
  foreign = await order(await scene.newKey({ name: 'theirs', unlimited_quota: true }, other));
});
afterAll(async () => {
  await scene.close();
  await vendor.close();
});

test('users see their own tasks without the channel and the provider’s id; staff sees all', async () => {
  const { data, total_count } = await scene.user.api(tasks).listOwn({ query: {} });
  expect(data.map(({ id }) => id)).toEqual([failed, taskId]);
  expect(total_count).toBe(2);
  expect(data.every(({ channel, upstream_id }) => channel === null && upstream_id === '')).toBe(true);
  expect((await other.api(tasks).listOwn({ query: {} })).data.map(({ id }) => id)).toEqual([foreign]);
  const everybodys = await all();
  expect(everybodys.map(({ id }) => id)).toEqual([foreign, failed, taskId]);
  expect(everybodys[2]).toMatchObject({
    platform: 'videos',
    action: 'video',
    model_name: 'sora-2',
    prompt: 'a cat walks',
    progress: 100,
    username: scene.user.username,
    channel: { name: 'films' },
    upstream_id: expect.stringMatching(/^video_/),
  });
  await expect(other.api(tasks).list({ query: {} })).rejects.toMatchObject({ status: 403 });
});

test('a finished task shows its charge, a failed one its error and no charge, a running one its hold', async () => {
  const [goesOn, notMade, done] = await all();
  expect(done).toMatchObject({ quota: 4 * POINTS, expected: 4 * POINTS, fail_reason: '' });
  expect(notMade).toMatchObject({ quota: 0, fail_reason: expect.stringContaining('Not this.'), works: [] });
  expect(goesOn).toMatchObject({ status: 'queued', quota: null, expected: 4 * POINTS, ended_at: null });
});

test('each filter returns exactly the matching tasks', async () => {
  const found = async (query: Record<string, string | number>) => (await all(query)).map(({ id }) => id);
  expect(await found({ status: 'failed' })).toEqual([failed]);
  expect(await found({ platform: 'suno' })).toEqual([]);
  expect(await found({ platform: 'videos', action: 'video', model_name: 'sora-2' })).toHaveLength(3);
  for (const username of [other.username, other.username.toUpperCase()])
    expect(await found({ username })).toEqual([foreign]);
  expect(await found({ user_id: other.id })).toEqual([foreign]);
  expect(await found({ token_name: 'theirs' })).toEqual([foreign]);
  expect(await found({ model_name: 'sora' })).toEqual([]);
  const [{ created_at } = { created_at: 0 }] = await all({ task_id: failed });
  expect(await found({ end_timestamp: created_at - 1 })).toEqual([taskId]);
  expect(await found({ start_timestamp: created_at + 1 })).toEqual([foreign]);
});

test('a work is shown to its owner and to staff in their sessions, and is nothing that a page would act on', async () => {
  const [{ works } = { works: [] }] = await all({ task_id: taskId });
  expect(works).toEqual([
    { kind: 'video', path: `/api/task/${taskId}/work/0`, expired: false, text: '', title: '', seconds: null },
  ]);
  const path = works[0]?.path ?? '';
  for (const who of [scene.user, scene.admin]) {
    const video = await who.fetch(path);
    expect(video.status).toBe(200);
    expect(video.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none';/);
    expect(video.headers.get('x-content-type-options')).toBe('nosniff');
    expect(Buffer.from(await video.arrayBuffer())).toEqual(VIDEO_BYTES);
  }
  expect((await other.fetch(path)).status).toBe(404);
  expect((await scene.anonymous.fetch(path)).status).toBe(401);
  expect((await scene.user.fetch(`/api/task/${taskId}/work/1`)).status).toBe(404);
  expect((await scene.user.fetch(`/api/task/${failed}/work/0`)).status).toBe(404);
});

test('removes tasks some days after their end, but no running ones, and keeps their receipts', async () => {
  const records = (await scene.records()).length;
  await scene.ctx.db.writer
    .updateTable('task')
    .set((eb) => ({ ended_at: eb('ended_at', '-', 100 * 86_400) }))
    .where('ended_at', 'is not', null)
    .execute();
  await setOptions(scene.ctx, { TaskDays: '0' });
  await removeOldTasks(scene.ctx);
  expect(await all()).toHaveLength(3);
  await setOptions(scene.ctx, { TaskDays: '99' });
  await removeOldTasks(scene.ctx);
  expect((await all()).map(({ id }) => id)).toEqual([foreign]);
  expect(await scene.records()).toHaveLength(records);
});

test('a deleted user’s texts are removed, and a running task is still charged', async () => {
  await scene.admin.api(users).manage({ body: { username: other.username, action: 'delete' } });
  const row = await scene.ctx.db.writer.selectFrom('task').selectAll().executeTakeFirstOrThrow();
  expect(row).toMatchObject({ id: foreign, prompt: '', request: '{}', ended_at: null });
  for (const video of vendor.videos.values()) if (video.status === 'queued') video.status = 'completed';
  await advanceUntil(scene.clock, async () => expect(await all({ task_id: foreign })).toEqual([]), 100);
  expect((await scene.records()).at(-1)).toMatchObject({ user_id: other.id, quota: 4 * POINTS });
  expect(await verifyLedger(scene.ctx.db.writer)).toMatchObject({ problems: [] });
});
