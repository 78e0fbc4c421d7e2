import { prices, savePrice } from '@switchyard/contract/catalog/prices';
import { channels } from '@switchyard/contract/channels/channels';
import { channelId } from '@switchyard/contract/ids';
import { settings } from '@switchyard/contract/operations/settings';
import type { RouteCall } from '@switchyard/contract/route';
import { usageRecords } from '@switchyard/contract/usage/usage-records';
import { describe, expect, test, vi } from 'vitest';
import { getChannelHealth } from '../../channels/registry/registry.ts';
import { useRelayScene } from '../../testing/relay-scene.ts';

type NewChannel = RouteCall<(typeof channels)['create']>['body'];

const scene = await useRelayScene();

async function prepare(options: Record<string, string>, ...offers: Partial<NewChannel>[]): Promise<void> {
  const body = Object.entries(options).map(([key, value]) => ({ key, value }));
  if (body.length > 0) await scene.admin.api(settings).updateMany({ body });
  for (const offer of offers) await scene.newChannel(offer);
}

async function lastDetail() {
  await scene.waitUntilSettled();
  const [last] = (await scene.admin.api(usageRecords).list({ query: { size: 1 } })).data;
  if (last === undefined) throw new Error('there is no record');
  return scene.admin.api(usageRecords).get({ params: { id: last.id } });
}

const standIns = (fallbacks: Record<string, string[]>) => ({ ModelFallbacks: JSON.stringify(fallbacks) });

test('a fallback model answers for a model that no channel offers, and the record names both models', async () => {
  await prepare(standIns({ absent: ['nowhere', 'scripted'] }), {});
  const response = await scene.chat('absent');
  expect(response.status).toBe(200);
  expect(scene.upstream.requests.map(({ json }) => json['model'])).toEqual(['scripted']);
  expect(await lastDetail()).toMatchObject({ model_name: 'scripted', requested_model: 'absent' });
});

test('a fallback model on another channel answers for a model whose only channel fails', async () => {
  await prepare(standIns({ 'bad+status-500': ['scripted'] }), { name: 'bad', models: ['bad*'] }, { name: 'good' });
  const response = await scene.chat('bad+status-500');
  expect(response.status).toBe(200);
  const { attempts, requested_model } = await lastDetail();
  expect(requested_model).toBe('bad+status-500');
  expect(attempts.map(({ channel_name, outcome }) => [channel_name, outcome])).toEqual([
    ['bad', 'overloaded'],
    ['good', 'answered'],
  ]);
});

test('a fallback model is used after all retries of the requested one, also on the same channel', async () => {
  await prepare(
    { ...standIns({ 'bad+status-500': ['scripted'] }), RetryTimes: '1' },
    { name: 'all', models: ['bad*', 'scripted'] },
  );
  await scene.newChannel({ name: 'more', models: ['bad*'] });
  await scene.newChannel({ name: 'most', models: ['bad*'] });
  const response = await scene.chat('bad+status-500');
  expect(response.status).toBe(200);
  expect(response.headers.get('x-switchyard-model')).toBe('scripted');
  expect(scene.upstream.requests.map(({ json }) => json['model'])).toEqual([
    'bad+status-500',
    'bad+status-500',
    'scripted',
  ]);
});

test('a healthy channel of a fallback model precedes a channel of the requested model in cooldown', async () => {
  await prepare(
    { ...standIns({ 'bad+status-500': ['scripted'] }), RetryTimes: '0' },
    { name: 'bad', models: ['bad*'] },
    { name: 'good' },
  );
  for (let call = 0; call < 5; call += 1) await scene.chat('bad+status-500');
  scene.upstream.requests.length = 0;
  expect((await scene.chat('bad+status-500')).status).toBe(200);
  expect(scene.upstream.requests.map(({ json }) => json['model'])).toEqual(['scripted']);
});

const messageOf = async (response: Response) =>
  ((await response.json()) as { error: { message: string } }).error.message.replace(/ \(request id: .*\)$/, '');

test.each<[string, string, number, string]>([
  [
    'lacks a capability',
    'scripted',
    503,
    'No channel for scripted supports tools. Send the request without tools, or choose another model.',
  ],
  [
    'offers another model',
    'absent-model',
    404,
    'The model absent-model does not exist, or your group default cannot use it for chat. GET /v1/models lists your models.',
  ],
])('names the reason and the remedy if the only channel %s', async (_state, model, status, message) => {
  await prepare({}, { lacks: ['tools'] });
  const response = await scene.chat(model, { tools: [{ type: 'function', function: { name: 'f' } }] });
  expect([response.status, await messageOf(response)]).toEqual([status, message]);
});

test('only administrators learn that the only channel is disabled', async () => {
  const id = channelId.parse(await scene.newChannel({}));
  await scene.admin.api(channels).update({ body: { id, status: 'disabled' } });
  const own = await scene.chat('scripted');
  const message =
    'No channel for scripted can serve this request at the moment. Retry in a minute. If it fails again, send the request ID to the operator.';
  expect([own.status, await messageOf(own)]).toEqual([503, message]);
  const pinned = await scene.newKey({ unlimited_quota: true }, scene.admin);
  const administrators = await scene.chat('scripted', {}, pinned);
  expect([administrators.status, await messageOf(administrators)]).toEqual([
    503,
    'All channels for scripted are disabled. Enable one.',
  ]);
  const refused = await scene.chat('scripted', {}, `${pinned}#${id}`);
  expect(await messageOf(refused)).toContain(`Channel ${id} is disabled, or does not support this request. Choose`);
});

test('a model that the key may not use is never a fallback', async () => {
  await prepare(standIns({ absent: ['scripted'] }), {});
  const key = await scene.newKey({
    unlimited_quota: true,
    setting: {
      heartbeat: { enabled: false, timeout_seconds: 30 },
      strict_translation: false,
      limits: {
        limit_model_setting: { enabled: true, models: ['absent'] },
        limits_ip_setting: { enabled: false, whitelist: [] },
        concurrency: 0,
        tokens_per_minute: 0,
        budgets: { day: null, week: null, month: null },
      },
    },
  });
  expect((await scene.chat('absent', {}, key)).ok).toBe(false);
  expect(scene.upstream.requests).toEqual([]);
});

const opening = { role: 'user', content: 'Once upon a time there was a very long story. '.repeat(50) };
const turn = (count: number) => ({
  messages: [
    opening,
    ...Array.from({ length: count }, (_, index) => [
      { role: 'assistant', content: `answer ${index}` },
      { role: 'user', content: `question ${index}` },
    ]).flat(),
  ],
});

test('a conversation stays with its channel, and its record says why', async () => {
  await prepare({}, { name: 'one' }, { name: 'two' }, { name: 'three' });
  await scene.chat('scripted', turn(0));
  const first = (await lastDetail()).attempts[0];
  for (let count = 1; count <= 8; count += 1) {
    await scene.chat('scripted', turn(count));
    const [attempt] = (await lastDetail()).attempts;
    expect(attempt?.channel_id).toBe(first?.channel_id);
    const reasons = attempt?.verdicts.map(({ reason }) => reason).toSorted();
    expect(reasons).toEqual(['colder', 'colder', 'warm']);
  }
});

test('a conversation leaves its channel when that fails, and stays with the next', async () => {
  await prepare({}, { name: 'one', key: 'sk-one' }, { name: 'two', key: 'sk-two' });
  await scene.chat('scripted', turn(0));
  const left = scene.upstream.requests[0]?.headers.authorization;
  scene.upstream.setScript(({ headers }) => (headers.authorization === left ? { status: 500 } : undefined));
  await scene.chat('scripted', turn(1));
  scene.upstream.setScript(undefined);
  scene.upstream.requests.length = 0;
  for (let count = 2; count < 6; count += 1) expect((await scene.chat('scripted', turn(count))).status).toBe(200);
  expect(scene.upstream.requests.map(({ headers }) => headers.authorization)).not.toContain(left);
});

test('conversations are distributed by weight if the setting says so', async () => {
  await prepare({ SessionAffinityEnabled: 'false' }, { name: 'one' }, { name: 'two' });
  for (let count = 0; count < 4; count += 1) await scene.chat('scripted', turn(count));
  const [attempt] = (await lastDetail()).attempts;
  expect(attempt?.verdicts.map(({ reason }) => reason).toSorted()).toEqual(['chosen', 'outweighed']);
});

describe('a channel that is on trial after its failures', () => {
  const MODEL = 'scripted+slow-first-byte-100';

  async function startTrial() {
    await prepare({});
    const sick = await scene.newChannel({ name: 'sick', priority: 5 });
    const well = await scene.newChannel({ name: 'well' });
    const health = getChannelHealth(scene.ctx);
    for (let failure = 0; failure < 5; failure += 1) health.beginAttempt(sick, MODEL).recordFailure();
    scene.clock.advance(40);
    return { sick, well };
  }

  test('lets one of two simultaneous requests try a recovering channel while holds are written', async () => {
    const { sick, well } = await startTrial();
    const written = Promise.withResolvers<void>();
    const writing = scene.ctx.ledger.transaction(() => written.promise);
    const beginAttempt = vi.spyOn(getChannelHealth(scene.ctx), 'beginAttempt');
    const pending = Promise.all([scene.chat(MODEL), scene.chat(MODEL)]);
    await vi
      .waitFor(() => expect(beginAttempt).toHaveBeenCalledTimes(2), { timeout: 60_000, interval: 5 })
      .finally(written.resolve);
    beginAttempt.mockRestore();
    await writing;
    expect((await pending).map(({ status }) => status)).toEqual([200, 200]);
    await scene.waitUntilSettled();
    const served = (await scene.records()).map(({ channel_id }) => channel_id);
    expect(new Set(served)).toEqual(new Set([sick, well]));
  });

  test('waits for the next request when the one that chose it cannot pay', async () => {
    const { sick } = await startTrial();
    const empty = await scene.newKey({ unlimited_quota: false });
    expect((await scene.chat(MODEL, {}, empty)).status).toBe(429);
    await scene.chat(MODEL);
    await scene.waitUntilSettled();
    expect((await scene.records()).map(({ channel_id }) => channel_id)).toEqual([sick]);
  });
});

test('a retry lasts no longer than the rest of the ninety seconds for all attempts', async () => {
  await prepare({}, { models: ['first*'], priority: 5 }, { models: ['first*'] });
  scene.upstream.setScript((_request, nth) => {
    if (nth > 0) return { silentAfter: 0 };
    scene.clock.advance(55);
    return { status: 503 };
  });
  const pending = scene.chat('first', { stream: true });
  await expect.poll(() => scene.upstream.requests.length).toBe(2);
  scene.clock.advance(36);
  const response = await pending;
  expect(response.status).toBe(504);
  const { attempts } = await lastDetail();
  expect(attempts.map(({ outcome }) => outcome)).toEqual(['overloaded', 'unreachable']);
});

test('a dearer fallback is used only if the account can hold its price', async () => {
  await prepare(
    standIns({ 'cheap+status-500': ['dear'] }),
    { name: 'cheap', models: ['cheap*'] },
    { name: 'dear', models: ['dear'] },
  );
  const flat = (model: string, points: number) =>
    scene.admin
      .api(prices)
      .create({ body: savePrice.parse({ model, type: 'times', rates: { input: points * 1e9, output: 0 } }) });
  await flat('cheap*', 1);
  await flat('dear', 50_000);
  const poor = await scene.createUser('user', { quota: 65_000 });
  const key = await scene.newKey({ unlimited_quota: true }, poor);
  const answers = await Promise.all(Array.from({ length: 10 }, () => scene.chat('cheap+status-500', {}, key)));
  await scene.waitUntilSettled();
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 502)).toHaveLength(9);
  expect(await scene.ctx.ledger.readAvailable(poor.id)).toBe(15_000);
});
