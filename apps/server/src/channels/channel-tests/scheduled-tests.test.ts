import { prices, savePrice } from '@switchyard/contract/catalog/prices';
import { channelTests, type TestSchedule } from '@switchyard/contract/channels/channel-tests';
import { channels } from '@switchyard/contract/channels/channels';
import type { ChannelId } from '@switchyard/contract/ids';
import { settings } from '@switchyard/contract/operations/settings';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { priceRoutes } from '../../catalog/prices/routes.ts';
import { settingRoutes } from '../../operations/settings/routes.ts';
import { startTestVendor } from '../../testing/simulated-vendor.ts';
import { type FeatureApp, serveRoutes, startFeatureApp } from '../../testing/start-feature-app.ts';
import { getChannelHealth } from '../registry/registry.ts';
import { channelRoutes } from '../registry/routes.ts';
import { removeOldTests, runScheduledTests } from './channel-tests.ts';
import { channelTestRoutes } from './routes.ts';

const CUSTOM = 8;
const ANTHROPIC = 14;
const CHAT = 'POST /v1/chat/completions';
const MODELS = 'GET /v1/models';
const DAY = 86_400;
/** One short test by the list price below: 10 tokens read, 5 written. It is expected to cost about 40. */
const TEST_POINTS = 15;

let app: FeatureApp;
let vendor: Awaited<ReturnType<typeof startTestVendor>>;
let admin: Awaited<ReturnType<FeatureApp['createUser']>>;
const never = new AbortController().signal;

beforeEach(async () => {
  [app, vendor] = await Promise.all([
    startFeatureApp(
      [
        serveRoutes(channelTests, channelTestRoutes),
        serveRoutes(channels, channelRoutes),
        serveRoutes(prices, priceRoutes),
        serveRoutes(settings, settingRoutes),
      ],
      { now: Date.UTC(2026, 0, 5, 6) },
    ),
    startTestVendor(),
  ]);
  admin = await app.createUser('root');
  const rates = { input: 1_000_000_000, output: 1_000_000_000 };
  await admin.api(prices).create({ body: savePrice.parse({ model: 'm-one', rates }) });
  vendor.handlers[CHAT] = () => well;
});
afterEach(async () => {
  await app.close();
  await vendor.close();
});

const well = {
  json: {
    model: 'm-one',
    choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  },
};
const refused = { status: 401, json: { error: { message: 'who are you' } } };

const set = (changes: Record<string, string>) =>
  admin
    .api(settings)
    .updateMany({
      body: Object.entries({ ScheduledTestMinutes: '60', ...changes }).map(([key, value]) => ({ key, value })),
    });
const create = async (name: string, more: object = {}): Promise<ChannelId> => {
  const body = { name, type: CUSTOM, base_url: vendor.url, models: ['m-one'], key: 'sk-1', ...more };
  const [channel] = await admin.api(channels).create({ body });
  if (channel === undefined) throw new Error('No channel was made');
  return channel.id;
};
const api = () => admin.api(channelTests);
const round = async () => {
  app.clock.advance(3_601);
  await runScheduledTests(app.ctx, never);
  return (await api().runs())[0];
};
const kindsOf = async (id: ChannelId) =>
  (await api().results({ params: { id } })).map(({ kind, outcome }) => [kind, outcome]);
const status = async (id: ChannelId) => (await admin.api(channels).get({ params: { id } })).status;
const requestCount = (line: string) => vendor.asked.filter((route) => route === line).length;

describe('a scheduled test', () => {
  test('runs scheduled tests on time once enabled, records their cost, and leaves routing unchanged', async () => {
    const id = await create('one');
    await runScheduledTests(app.ctx, never);
    expect(await api().runs()).toEqual([]);
    await set({ ScheduledTestPrefersFreeEnabled: 'false' });
    expect(await round()).toMatchObject({ passed: 1, failed: 0, cost_micro_usd: TEST_POINTS * 2 });
    await runScheduledTests(app.ctx, never);
    expect(await api().runs()).toHaveLength(1);
    expect(await kindsOf(id)).toEqual([['short', 'passed']]);
    vendor.handlers[CHAT] = () => ({ status: 500, json: {} });
    expect(await round()).toMatchObject({ failed: 1, is_running: false });
    expect(getChannelHealth(app.ctx).list(id)).toEqual([]);
    expect(await status(id)).toBe('enabled');
    const billed = app.ctx.db.writer.selectFrom('usage_record').selectAll().where('type', '=', 'consume');
    expect(await billed.execute()).toEqual([]);
  });

  test('uses free checks first, and paid ones only if these fail', async () => {
    await set({});
    const counted = await create('counted', { type: ANTHROPIC });
    const listed = await create('listed');
    vendor.handlers['POST /v1/messages/count_tokens'] = () => ({ json: { input_tokens: 8 } });
    vendor.handlers[MODELS] = () => ({ json: { object: 'list', data: [{ id: 'm-one' }] } });
    expect(await round()).toMatchObject({ passed: 2, cost_micro_usd: 0 });
    expect(await kindsOf(counted)).toEqual([['token-count', 'passed']]);
    expect(await kindsOf(listed)).toEqual([['model-list', 'passed']]);
    expect(requestCount(CHAT)).toBe(0);
    vendor.handlers[MODELS] = () => ({ status: 404, json: {} });
    expect(await round()).toMatchObject({ passed: 2, failed: 0, cost_micro_usd: TEST_POINTS * 2 });
    expect(await kindsOf(listed)).toEqual([
      ['model-list', 'failed'],
      ['short', 'passed'],
    ]);
  });

  test('disables a channel that refuses twice, if the settings say so, and enables it again', async () => {
    await set({ ScheduledTestPrefersFreeEnabled: 'false', AutomaticDisableChannelEnabled: 'false' });
    const id = await create('one');
    vendor.handlers[CHAT] = () => refused;
    await round();
    expect(await status(id)).toBe('enabled');
    await set({ AutomaticDisableChannelEnabled: 'true' });
    await round();
    expect(await status(id)).toBe('auto-disabled');
    expect(requestCount(CHAT)).toBe(3);
    vendor.handlers[CHAT] = () => well;
    vendor.handlers[MODELS] = () => ({ json: { data: [] } });
    expect(await round()).toMatchObject({ passed: 0, failed: 0 });
    await set({ ScheduledTestChannels: 'auto-disabled', ScheduledTestPrefersFreeEnabled: 'true' });
    expect(await round()).toMatchObject({ passed: 1 });
    expect(await status(id)).toBe('enabled');
    expect(requestCount(MODELS)).toBe(0);
  });

  test('tests only those with the tag, and none without one', async () => {
    await create('one', { tag: 'night' });
    await create('two');
    await set({ ScheduledTestChannels: 'tag', ScheduledTestTag: 'night' });
    expect((await round())?.passed).toBe(1);
    await set({ ScheduledTestTag: '' });
    expect((await round())?.passed).toBe(0);
  });

  test('stops at the caps of a run and of a day; the next run begins with the skipped tests', async () => {
    const ids = [await create('one'), await create('two'), await create('three')];
    await create('without a price', { models: ['m-unpriced'] });
    // As expensive as expected, so that the order of responses does not matter.
    const usage = { prompt_tokens: 10, completion_tokens: 30, total_tokens: 40 };
    vendor.handlers[CHAT] = () => ({ json: { ...well.json, usage } });
    const tested = async () => (await Promise.all(ids.map(kindsOf))).map((kinds) => kinds.length);
    await set({ ScheduledTestPrefersFreeEnabled: 'false', ScheduledTestRunCap: '85', ScheduledTestDayCap: '1000' });
    expect(await round()).toMatchObject({ passed: 2, left_out: 2 });
    expect(await tested()).toEqual([1, 1, 0]);
    expect(await round()).toMatchObject({ passed: 2, left_out: 2 });
    expect(await tested()).toEqual([1, 1, 1]);
    await set({ ScheduledTestDayCap: '61' });
    const before = requestCount(CHAT);
    expect(await round()).toMatchObject({ passed: 0, left_out: 4, cost_micro_usd: 0 });
    expect(requestCount(CHAT)).toBe(before);
  });

  test('waits for the lease of a run whose process died, and no longer', async () => {
    await create('one');
    await set({});
    const now = Math.floor(app.clock.now() / 1_000);
    const died = { started_at: now - 7_200, ended_at: null, leased_until: now + 60 };
    await app.ctx.db.writer.insertInto('channel_test_run').values(died).execute();
    await runScheduledTests(app.ctx, never);
    expect(await api().runs()).toHaveLength(1);
    app.clock.advance(61);
    await Promise.all([runScheduledTests(app.ctx, never), runScheduledTests(app.ctx, never)]);
    const runs = await api().runs();
    expect(runs.map(({ is_running, ended_at }) => [is_running, ended_at === null])).toEqual([
      [false, false],
      [false, true],
    ]);
  });

  test('tests the remaining channels after a failure, and reports it to the job', async () => {
    await set({ ScheduledTestPrefersFreeEnabled: 'false', ScheduledTestRunCap: '0', ScheduledTestDayCap: '0' });
    const [gone, other] = [await create('one'), await create('two', { models: ['m-two'] })];
    vendor.handlers[CHAT] = async ({ body }) => {
      if (body.includes('m-two')) return well;
      await admin.api(channels).remove({ params: { id: gone } });
      return refused;
    };
    app.clock.advance(3_601);
    await expect(runScheduledTests(app.ctx, never)).rejects.toMatchObject({ code: 'not-found' });
    expect(await kindsOf(other)).toEqual([['short', 'passed']]);
    const [run] = await api().runs();
    expect(run).toMatchObject({ is_running: false, ended_at: expect.any(Number) });
  });

  test('counts calls without reported usage towards the caps', async () => {
    for (const name of ['1', '2', '3']) await create(name);
    await set({ ScheduledTestPrefersFreeEnabled: 'false', ScheduledTestRunCap: '85' });
    vendor.handlers[CHAT] = () => ({ json: {} });
    const run = await round();
    expect(run).toMatchObject({ passed: 0, failed: 2, left_out: 1 });
    expect(run?.cost_micro_usd).toBeGreaterThan(TEST_POINTS * 2);
  });

  test('ends once it is switched off', async () => {
    for (const name of ['1', '2', '3', '4', '5', '6']) await create(name);
    await set({ ScheduledTestPrefersFreeEnabled: 'false' });
    vendor.handlers[CHAT] = async () => {
      await set({ ScheduledTestMinutes: '0' });
      return well;
    };
    expect(await round()).toMatchObject({ passed: 4, left_out: 2, is_running: false });
  });

  test('tests the current state of a channel, and not one that was disabled meanwhile', async () => {
    const ids: ChannelId[] = [];
    for (const name of ['1', '2', '3', '4', '5', '6']) ids.push(await create(name));
    await set({ ScheduledTestPrefersFreeEnabled: 'false', ScheduledTestRunCap: '0', ScheduledTestDayCap: '0' });
    const [off, changed] = ids.slice(-2);
    if (off === undefined || changed === undefined) throw new Error('No channels were made');
    const change = async (): Promise<void> => {
      await admin.api(channels).update({ body: { id: off, status: 'disabled' } });
      await admin.api(channels).update({ body: { id: changed, models: ['m-other'] } });
    };
    // Rejects a change of a channel that another administrator has changed in the meantime.
    let changing: Promise<void> | undefined;
    vendor.handlers[CHAT] = async ({ body }) => {
      if (body.includes('m-other')) return well;
      changing ??= change();
      await changing;
      return well;
    };
    expect(await round()).toMatchObject({ passed: 5, failed: 0 });
    expect(await kindsOf(off)).toEqual([]);
    const [other] = await api().results({ params: { id: changed } });
    expect(other?.model).toBe('m-other');
  });

  test('ends when the server stops, and stores nothing of the interrupted test', async () => {
    const id = await create('one');
    await set({ ScheduledTestPrefersFreeEnabled: 'false' });
    const stopping = new AbortController();
    vendor.handlers[CHAT] = () => {
      stopping.abort();
      return 'silence';
    };
    app.clock.advance(3_601);
    await runScheduledTests(app.ctx, stopping.signal);
    expect(await kindsOf(id)).toEqual([]);
    expect((await api().runs())[0]).toMatchObject({ passed: 0, failed: 0, is_running: false });
  });
});

test('estimates the cost of a schedule before it is saved', async () => {
  await create('one');
  await create('two', { type: ANTHROPIC });
  await create('three', { models: ['m-unpriced'] });
  const schedule: TestSchedule = {
    every_minutes: 60,
    channels: 'enabled',
    tag: '',
    prefers_free: false,
    run_cap: 0,
    day_cap: 0,
  };
  const paid = await api().estimateSchedule({ body: schedule });
  expect(paid).toMatchObject({ channels: 3, free: 0, unpriced: 1 });
  expect(paid.run_micro_usd).toBeGreaterThan(0);
  expect(paid.month_micro_usd).toBe(paid.run_micro_usd * 720);
  const capped = await api().estimateSchedule({ body: { ...schedule, day_cap: 10 } });
  expect(capped.month_micro_usd).toBe(600);
  const free = await api().estimateSchedule({ body: { ...schedule, prefers_free: true } });
  expect(free).toMatchObject({ channels: 3, free: 3, run_micro_usd: 0 });
});

test('results are forgotten after thirty days, and with their channel', async () => {
  const [id, gone] = [await create('one'), await create('two')];
  const now = Math.floor(app.clock.now() / 1_000);
  const row = { outcome: 'passed', problem: null, message: '', finding: null, duration: 1 } as const;
  const blank = { first_content_time: null, input_tokens: null, output_tokens: null, cost_micro_usd: null };
  const keep = (channel_id: number, model: string, days: number) =>
    app.ctx.db.writer
      .insertInto('channel_test')
      .values({ ...row, ...blank, channel_id, model, kind: 'short', tested_at: now - days * DAY })
      .execute();
  await keep(id, 'new', 29);
  await keep(id, 'old', 31);
  await keep(gone, 'new', 0);
  await admin.api(channels).remove({ params: { id: gone } });
  await removeOldTests(app.ctx);
  const left = await app.ctx.db.writer.selectFrom('channel_test').select(['channel_id', 'model']).execute();
  expect(left).toEqual([{ channel_id: id, model: 'new' }]);
});

describe('a channel whose model no cheap request tests', () => {
  test.each(['flux-2-pro', 'sora-2', 'gpt-realtime', 'suno_music', 'o3-deep-research'])(
    'is asked nothing for %s, and stays as it is',
    async (model) => {
      vendor.handlers[CHAT] = () => refused;
      const id = await create('one', { models: [model] });
      await set({ ScheduledTestPrefersFreeEnabled: 'false' });
      expect(await round()).toMatchObject({ passed: 0, failed: 0, left_out: 1, cost_micro_usd: 0 });
      expect(vendor.asked).toEqual([]);
      expect(await kindsOf(id)).toEqual([['short', 'not-applicable']]);
      expect(await status(id)).toBe('enabled');
    },
  );

  test('a channel without a cheap test is asked for its balance, and a refusal counts', async () => {
    vendor.handlers[MODELS] = () => ({ json: { data: [] } });
    const id = await create('one', { models: ['flux-2-pro'] });
    await set({});
    expect(await round()).toMatchObject({ passed: 1, failed: 0, left_out: 0 });
    vendor.handlers[MODELS] = () => refused;
    expect(await round()).toMatchObject({ passed: 0, failed: 1, left_out: 0 });
    await expect.poll(() => status(id)).toBe('auto-disabled');
    expect(requestCount(CHAT)).toBe(0);
  });

  test('a model whose name suggests another kind stays enabled after it refused a chat', async () => {
    vendor.handlers[CHAT] = () => ({ status: 403, json: { error: { message: 'This is not a chat model.' } } });
    const id = await create('one', { models: ['house-painter'] });
    await set({ ScheduledTestPrefersFreeEnabled: 'false' });
    await round();
    vendor.handlers[CHAT] = () => ({ status: 404, json: { error: { message: 'This is not a chat model.' } } });
    expect(await round()).toMatchObject({ passed: 0, failed: 0, left_out: 1 });
    expect(await status(id)).toBe('enabled');
  });
});

test('chooses a test model that a cheap request can test, if the operator has set none', async () => {
  const id = await create('one', { models: ['dall-e-3', 'sora-2', 'm-one'] });
  await set({ ScheduledTestPrefersFreeEnabled: 'false' });
  expect(await round()).toMatchObject({ passed: 1 });
  expect((await api().results({ params: { id } }))[0]).toMatchObject({ model: 'm-one', outcome: 'passed' });
});
