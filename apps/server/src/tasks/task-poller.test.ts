import { rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { channels } from '@switchyard/contract/channels/channels';
import { channelId } from '@switchyard/contract/ids';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startVideoVendor, type VideoVendor } from '../../../../tests/scripted-tasks/scripted-videos.ts';
import { advanceUntil } from '../testing/advance-until.ts';
import { fillTable, named } from '../testing/fill-table.ts';
import { measureLongestBlock } from '../testing/measure-longest-block.ts';
import { type RelayScene, startRelayScene } from '../testing/relay-scene.ts';
import { type Reply, startTestVendor } from '../testing/simulated-vendor.ts';
import { claimDueTasks } from './task-store.ts';

const OPENAI = 1;
/** More than a channel is asked at a time. */
const HUNG = 12;
const DUE_AT_ONCE = 100;
const UNKNOWN_CHANNEL = 999_999;
/** A claim of all rows at once took 220 ms. */
const BLOCK_MAX_MS = 100;

let scene: RelayScene;
let hung: VideoVendor;
let quick: VideoVendor;
let nth = 0;

beforeAll(async () => {
  [hung, quick] = await Promise.all([startVideoVendor(), startVideoVendor()]);
  scene = await startRelayScene();
  await scene.newChannel({ type: OPENAI, models: ['hung'], base_url: hung.url });
  await scene.newChannel({ type: OPENAI, models: ['quick'], base_url: quick.url });
  for (const model of ['hung', 'quick'])
    await scene.admin
      .api(prices)
      .create({ body: { model, rates: rates.parse({ input: 0, output: 0, second: 1_000_000_000 }) } });
});
afterAll(async () => {
  await scene.close();
  await Promise.all([hung.close(), quick.close()]);
});

const order = async (model: string): Promise<string> => {
  const answer = await scene.post('/v1/videos', { model, prompt: 'a cat walks' });
  return ((await answer.json()) as { id: string }).id;
};
const statusOf = async (id: string): Promise<string> => {
  const { status } = await scene.ctx.db.writer
    .selectFrom('task')
    .select('status')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return status;
};

test('a vendor that hangs keeps the tasks of no other waiting, and its own are done when it is back', async () => {
  const stuck = await Promise.all(Array.from({ length: HUNG }, () => order('hung')));
  const { promise: silence, resolve: answer } = Promise.withResolvers<Reply>();
  for (const { id } of hung.videos.values()) hung.overrideReply(`GET /v1/videos/${id}`, () => silence);
  await advanceUntil(scene.clock, () =>
    expect(hung.asked.filter((route) => route.startsWith('GET')).length).toBeGreaterThanOrEqual(4),
  );

  const id = await order('quick');
  quick.getOnlyVideo().status = 'completed';
  await advanceUntil(scene.clock, async () => expect(await statusOf(id)).toBe('succeeded'));
  expect(await statusOf(stuck[0] ?? '')).toBe('queued');

  hung.resetReplies();
  answer({ status: 503 });
  for (const video of hung.videos.values()) video.status = 'completed';
  await advanceUntil(
    scene.clock,
    async () => expect(await Promise.all(stuck.map(statusOf))).toEqual(stuck.map(() => 'succeeded')),
    300,
  );
});

test('refunds a task whose channel is deleted, and continues one whose channel is disabled', async () => {
  const [kept, lost] = [await startVideoVendor(), await startVideoVendor()];
  onTestFinished(async () => void (await Promise.all([kept.close(), lost.close()])));
  const second = rates.parse({ input: 0, output: 0, second: 1_000_000_000 });
  const ids = [];
  for (const [model, vendor] of [
    ['kept', kept],
    ['lost', lost],
  ] as const) {
    ids.push(channelId.parse(await scene.newChannel({ type: OPENAI, models: [model], base_url: vendor.url })));
    await scene.admin.api(prices).create({ body: { model, rates: second } });
  }
  const before = await scene.ctx.ledger.readAvailable(scene.user.id);
  const [first, other] = [await order('kept'), await order('lost')];
  const [disabled, deleted] = ids;
  if (disabled === undefined || deleted === undefined) throw new Error('No channels');
  await scene.admin.api(channels).update({ body: { id: disabled, status: 'disabled' } });
  await scene.admin.api(channels).remove({ params: { id: deleted } });
  await advanceUntil(scene.clock, async () => expect(await statusOf(other)).toBe('failed'), 300);
  kept.getOnlyVideo().status = 'completed';
  await advanceUntil(scene.clock, async () => expect(await statusOf(first)).toBe('succeeded'), 300);
  expect(before - (await scene.ctx.ledger.readAvailable(scene.user.id))).toBe(4);
});

const BLOCKED = 'Generated video rejected by content moderation.';
const billed = { usage: { cost_in_usd_ticks: 2_500_000_000 } };

test.each<[string, number, number, number, Reply]>([
  ['Runway', 1209, 1, 8, { json: { status: 'FAILED', failure: BLOCKED, failureCode: 'SAFETY.INPUT.TEXT' } }],
  ['Runway, for its own fault', 1209, 0, 8, { json: { status: 'FAILED', failure: BLOCKED, failureCode: 'INTERNAL' } }],
  ['xAI', 56, 1, 8, { json: { status: 'failed', error: { message: BLOCKED }, ...billed } }],
  ['xAI, with the video', 56, 1, 8, { json: { status: 'done', video: { respect_moderation: false }, ...billed } }],
  ['xAI, instead of a status', 56, 1, 8, { status: 400, json: { code: 'invalid', error: BLOCKED, ...billed } }],
  ['xAI, without a cost', 56, 0, 8, { json: { status: 'failed', error: { message: BLOCKED } } }],
])('charges the failure that a vendor bills: %s', async (_who, type, charges, seconds, reply) => {
  const vendor = await startTestVendor({}, ({ method }) =>
    method === 'POST' ? { json: { id: 'task-1', request_id: 'task-1' } } : reply,
  );
  onTestFinished(() => vendor.close());
  nth += 1;
  const model = `moderated-${nth}`;
  await scene.newChannel({ type, models: [model], base_url: vendor.url });
  const second = rates.parse({ input: 0, output: 0, second: 1_000_000_000 });
  await scene.admin.api(prices).create({ body: { model, rates: second } });
  const before = await scene.ctx.ledger.readAvailable(scene.user.id);
  const answer = await scene.post('/v1/videos', { model, prompt: 'a cat walks', seconds: String(seconds) });
  const { id } = (await answer.json()) as { id: string };
  await advanceUntil(scene.clock, async () => expect(await statusOf(id)).toBe('failed'), 60);
  expect(before - (await scene.ctx.ledger.readAvailable(scene.user.id))).toBe(charges * seconds);
});

test('ends no task by an error that its vendor answers in the place of its state', async () => {
  const id = await order('quick');
  const vendorVideo = [...quick.videos.values()].at(-1);
  if (vendorVideo === undefined) throw new Error('No video was ordered');
  const route = `GET /v1/videos/${vendorVideo.id}`;
  const limit = { error: { message: 'Rate limit reached', code: 'rate_limit_exceeded' } };
  quick.overrideReply(route, () => ({ json: limit }));
  const requestCount = () => quick.asked.filter((one) => one === route).length;
  await advanceUntil(scene.clock, () => expect(requestCount()).toBeGreaterThan(12), 300);
  expect(await statusOf(id)).toBe('queued');
  quick.resetReplies();
  vendorVideo.status = 'completed';
  await advanceUntil(scene.clock, async () => expect(await statusOf(id)).toBe('succeeded'), 300);
});

test.each<[string, Reply]>([
  ['answers nothing', 'hang-up'],
  ['fails', { status: 503 }],
])('polls a task again past its deadline when its vendor %s', async (_how, reply) => {
  const id = await order('quick');
  const video = [...quick.videos.values()].at(-1);
  const route = `GET /v1/videos/${video?.id}`;
  quick.overrideReply(route, () => reply);
  const requestCount = () => quick.asked.filter((one) => one === route).length;
  await advanceUntil(scene.clock, () => expect(requestCount()).toBeGreaterThan(0));
  scene.clock.advance(90_000);
  const seen = requestCount();
  await advanceUntil(scene.clock, () => expect(requestCount()).toBeGreaterThan(seen + 1), 300);
  expect(await statusOf(id)).toBe('queued');
  quick.resetReplies();
  Object.assign(video ?? {}, { status: 'completed' });
  await advanceUntil(scene.clock, async () => expect(await statusOf(id)).toBe('succeeded'), 300);
});

test('ends a task some time past its deadline when its vendor stays out of reach', async () => {
  const id = await order('quick');
  const video = [...quick.videos.values()].at(-1);
  quick.overrideReply(`GET /v1/videos/${video?.id}`, () => ({ status: 503 }));
  scene.clock.advance(90_000);
  await advanceUntil(scene.clock, async () => expect(await statusOf(id)).toBe('failed'), 300);
  quick.resetReplies();
});

test('a task is asked about less and less often, and at least every 90 seconds', async () => {
  const id = await order('quick');
  const { db } = scene.ctx;
  const dueAt = async () =>
    (await db.writer.selectFrom('task').select('next_look_at').where('id', '=', id).executeTakeFirstOrThrow())
      .next_look_at;
  const startedAt = Math.floor(scene.clock.now() / 1000);
  const waits: number[] = [];
  for (let now = await dueAt(); now < startedAt + 3_600; ) {
    expect((await claimDueTasks(scene.ctx, now, [], 1_000)).map((task) => task.id)).toContain(id);
    const next = await dueAt();
    waits.push(next - now);
    now = next;
  }
  expect(waits.slice(0, 3)).toEqual([3, 3, 3]);
  expect(waits.toSorted((a, b) => a - b)).toEqual(waits);
  expect(waits.at(-1)).toBe(90);
  expect(waits.length).toBeLessThan(80);
});

describe('a status of 8 MB', () => {
  const BYTES = 8_000_000;
  const fillers = {
    'of many values': '1,'.repeat(BYTES / 2),
    'of many objects': '{"a":[]},'.repeat(BYTES / 9),
    'with a long integer': `12345678901234567890,${'{"a":"b"},'.repeat(3_000)}"${'QUJD'.repeat(BYTES / 4 - 10_000)}",`,
    'with base64': `"${'QUJD'.repeat(BYTES / 4)}",`,
  };
  test.each(Object.entries(fillers))('%s does not block others', async (name, filler) => {
    const id = await order('quick');
    const video = [...quick.videos.values()].at(-1);
    const route = `GET /v1/videos/${video?.id}`;
    const status = (state: string) => JSON.stringify({ ...video, object: 'video', status: state }).slice(0, -1);
    const text = Buffer.from(`${status('completed')},"more":[${filler}1]}`);
    quick.overrideReply(route, () => ({ text }));
    const polls = () => quick.asked.filter((one) => one === route).length;
    const isHonest = name.startsWith('with');
    const block = await measureLongestBlock(() =>
      advanceUntil(
        scene.clock,
        async () => (isHonest ? expect(await statusOf(id)).toBe('succeeded') : expect(polls()).toBeGreaterThan(2)),
        300,
      ),
    );
    if (!isHonest) {
      expect(await statusOf(id)).toBe('queued');
      quick.resetReplies();
      Object.assign(video ?? {}, { status: 'completed' });
      await advanceUntil(scene.clock, async () => expect(await statusOf(id)).toBe('succeeded'), 300);
    }
    quick.resetReplies();
    // Parsing and truncating four million values in one turn took 150 ms.
    expect(block).toBeLessThan(BLOCK_MAX_MS);
  });
});

test('postpones a poll whose response does not fit into the memory of the gateway, until it does', async () => {
  const small = await startRelayScene({ config: { relayMemoryMaxBytes: 400_000 } });
  const vendor = await startVideoVendor();
  onTestFinished(async () => {
    await small.close();
    await vendor.close();
  });
  await small.newChannel({ type: OPENAI, models: ['film'], base_url: vendor.url });
  await small.post('/v1/videos', { model: 'film', prompt: 'a cat walks' });
  const video = vendor.getOnlyVideo();
  video.status = 'completed';
  const route = `GET /v1/videos/${video.id}`;
  vendor.overrideReply(route, () => ({ json: { ...video, object: 'video', more: 'a'.repeat(150_000) } }));
  const readTask = () =>
    small.ctx.db.writer.selectFrom('task').select(['status', 'failed_looks']).executeTakeFirstOrThrow();
  await advanceUntil(
    small.clock,
    () => expect(vendor.asked.filter((one) => one === route).length).toBeGreaterThan(2),
    30,
  );
  expect(await readTask()).toEqual({ status: 'queued', failed_looks: 0 });
  vendor.resetReplies();
  await advanceUntil(small.clock, async () => expect((await readTask()).status).toBe('succeeded'), 300);
});

test('counts the gateway’s own requests in the same memory budget', async () => {
  const small = await startRelayScene({ config: { relayMemoryMaxBytes: 400_000 } });
  const vendor = await startVideoVendor();
  onTestFinished(async () => {
    await small.close();
    await vendor.close();
  });
  vendor.overrideReply('GET /v1/models', () => ({ json: { data: 'a'.repeat(150_000) } }));
  const call = { method: 'GET', url: `${vendor.url}/v1/models`, headers: {}, proxy: '', timeoutMs: 5_000 } as const;
  await expect(small.ctx.outbound.fetchJson(call)).rejects.toMatchObject({ code: 'unavailable' });
  vendor.resetReplies();
});

/** Adds due tasks of an unknown channel, which are removed when the test ends. */
async function fillDueTasks(count: number, text: string): Promise<number> {
  const { db } = scene.ctx;
  const now = Math.floor(scene.clock.now() / 1000);
  await fillTable(scene.ctx, 'task', count, {
    id: named('filled'),
    request_id: named('filled'),
    upstream_id: named('filled'),
    channel_id: UNKNOWN_CHANNEL,
    status: 'running',
    news: JSON.stringify({ works: [], said: { text } }),
    created_at: now,
    deadline_at: now + 86_400,
    next_look_at: now,
  });
  onTestFinished(async () => {
    await db.writer.deleteFrom('task').where('channel_id', '=', UNKNOWN_CHANNEL).execute();
  });
  return now;
}

const claimFilled = async (now: number): Promise<string[]> => {
  const claimed = await claimDueTasks(scene.ctx, now, [], 1_000);
  return claimed.filter((task) => task.channel_id === UNKNOWN_CHANNEL).map(({ id }) => id);
};

const readDueFilled = (now: number): Promise<{ id: string }[]> =>
  scene.ctx.db.writer
    .selectFrom('task')
    .select('id')
    .where('channel_id', '=', UNKNOWN_CHANNEL)
    .where('next_look_at', '<=', now)
    .limit(1)
    .execute();

test('short tasks are claimed with few statements, each by one of two processes', async () => {
  const now = await fillDueTasks(300, '');
  const update = vi.spyOn(scene.ctx.db.writer, 'updateTable');
  onTestFinished(() => update.mockRestore());
  const [one, other] = await Promise.all([claimFilled(now), claimFilled(now)]);
  const rest = await claimFilled(now);
  expect(new Set([...one, ...other, ...rest]).size).toBe(300);
  expect(one.length + other.length + rest.length).toBe(300);
  expect(update.mock.calls.length).toBeLessThan(12);
});

test('long tasks are claimed up to 16 MB at once, and the others afterwards', async () => {
  const now = await fillDueTasks(DUE_AT_ONCE, 'x'.repeat(300_000));
  // The engine of the server may claim some of them itself.
  expect((await claimFilled(now)).length).toBeLessThan(60);
  expect((await claimFilled(now)).length).toBeLessThan(60);
  expect(await readDueFilled(now)).toEqual([]);
});

test('many due tasks with long status updates do not block others', async () => {
  const now = await fillDueTasks(DUE_AT_ONCE, 'x'.repeat(300_000));
  const block = await measureLongestBlock(() =>
    advanceUntil(scene.clock, async () => expect(await readDueFilled(now)).toEqual([]), 1),
  );
  expect(block).toBeLessThan(BLOCK_MAX_MS);
});
