/** A channel with several keys, as clients meet it. */
import { channelKeys } from '@switchyard/contract/channels/channel-keys';
import { channelId } from '@switchyard/contract/ids';
import { settings } from '@switchyard/contract/operations/settings';
import { quote } from '@switchyard/contract/playground/quote';
import { expect, test } from 'vitest';
import { getChannelHealth } from '../../channels/registry/registry.ts';
import { type RelayScene, useRelayScene } from '../../testing/relay-scene.ts';

const MODEL = 'scripted';
const KEYS = ['sk-of-the-account-one', 'sk-of-the-account-two', 'sk-of-the-account-tri'];

interface Scene extends RelayScene {
  id: number;
  /** How often each key was used. */
  used(): number[];
  statuses(): Promise<string[]>;
}

const scene = await useRelayScene();

async function prepare(options: Record<string, string> = {}): Promise<Scene> {
  await scene.ctx.db.writer.updateTable('user_group').set({ api_rate: 0 }).execute();
  await scene.ctx.changes.publish({ topic: 'user-groups' });
  const body = Object.entries({ SessionAffinityEnabled: 'false', ...options }).map(([key, value]) => ({ key, value }));
  await scene.admin.api(settings).updateMany({ body });
  const id = await scene.newChannel({ key: KEYS.join('\n'), keys_as: 'one-channel' });
  return {
    ...scene,
    id,
    used: () =>
      KEYS.map(
        (key) => scene.upstream.requests.filter(({ headers }) => headers.authorization === `Bearer ${key}`).length,
      ),
    statuses: async () => {
      const keys = await scene.admin.api(channelKeys).list({ params: { id: channelId.parse(id) } });
      return keys.map(({ status }) => status);
    },
  };
}

const isKey = (headers: { authorization?: string | undefined }, ...nths: number[]): boolean =>
  nths.some((nth) => headers.authorization === `Bearer ${KEYS[nth]}`);

test('the keys of a channel take turns', async () => {
  const scene = await prepare();
  for (let sent = 0; sent < 9; sent += 1) expect((await scene.chat(MODEL)).status).toBe(200);
  expect(scene.used()).toEqual([3, 3, 3]);
});

test('token counts and quotes do not rotate the keys', async () => {
  const scene = await prepare();
  const messages = [{ role: 'user', content: 'Hello there.' }];
  for (let sent = 0; sent < 3; sent += 1) {
    expect((await scene.post('/v1/messages/count_tokens', { model: MODEL, messages })).status).toBe(200);
    await scene.admin.api(quote).ask({ body: { path: '/v1/chat/completions', request: { model: MODEL, messages } } });
    expect((await scene.chat(MODEL)).status).toBe(200);
  }
  expect(scene.used()).toEqual([1, 1, 1]);
});

test('a rate limit puts only its key into cooldown; the channel continues with the others', async () => {
  const scene = await prepare();
  scene.upstream.setScript(({ headers }) => (isKey(headers, 1) ? { status: 429, retryAfterSeconds: 600 } : undefined));
  for (let sent = 0; sent < 20; sent += 1) expect((await scene.chat(MODEL)).status).toBe(200);
  expect(scene.used()[1]).toBe(1);
  expect(getChannelHealth(scene.ctx).get(scene.id, MODEL)).toMatchObject({
    circuitBreaker: 'closed',
    cooldownUntil: 0,
  });
  scene.upstream.setScript(undefined);
  scene.clock.advance(601);
  for (let sent = 0; sent < 3; sent += 1) await scene.chat(MODEL);
  expect(scene.used()[1]).toBe(2);
});

test('a channel is in cooldown when each of its keys is, until the first one ends', async () => {
  const scene = await prepare({ RetryTimes: '5' });
  scene.upstream.setScript(({ headers }) => ({ status: 429, retryAfterSeconds: isKey(headers, 2) ? 60 : 600 }));
  expect((await scene.chat(MODEL)).status).toBe(429);
  expect(scene.used()).toEqual([1, 1, 1]);
  const { cooldownUntil } = getChannelHealth(scene.ctx).get(scene.id, MODEL);
  expect(cooldownUntil - scene.clock.now()).toBeGreaterThan(0);
  expect(cooldownUntil - scene.clock.now()).toBeLessThanOrEqual(60_000);
  scene.upstream.setScript(undefined);
  scene.clock.advance(61);
  expect((await scene.chat(MODEL)).status).toBe(200);
  expect(scene.used()).toEqual([1, 1, 2]);
});

test('when one of three keys is revoked, no request is lost and the key is taken out', async () => {
  const scene = await prepare({ AutomaticDisableChannelEnabled: 'true' });
  scene.upstream.setScript(({ headers }) => (isKey(headers, 1) ? { status: 401 } : undefined));
  const answers = await Promise.all(Array.from({ length: 90 }, () => scene.chat(MODEL)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  await expect.poll(() => scene.statuses()).toEqual(['enabled', 'auto-disabled', 'enabled']);
  const [, before] = scene.used();
  for (let sent = 0; sent < 10; sent += 1) expect((await scene.chat(MODEL)).status).toBe(200);
  expect(scene.used()[1]).toBe(before);
  const { status } = await scene.ctx.db.writer
    .selectFrom('channel')
    .select('status')
    .where('id', '=', scene.id)
    .executeTakeFirstOrThrow();
  expect(status).toBe('enabled');
});

test('errors that a client causes disable no key', async () => {
  const scene = await prepare({ AutomaticDisableChannelEnabled: 'true' });
  scene.upstream.setScript(({ body }) => (body.includes('insufficient balance') ? { status: 402 } : undefined));
  const content = { messages: [{ role: 'user', content: 'insufficient balance' }] };
  for (let sent = 0; sent < 20; sent += 1) await (await scene.chat(MODEL, content)).text();
  expect((await scene.chat(MODEL)).status).toBe(200);
  expect(await scene.statuses()).toEqual(['enabled', 'enabled', 'enabled']);
});

test('without automatic disabling, a refused key gets a cooldown, and its channel continues', async () => {
  const scene = await prepare({ AutomaticDisableChannelEnabled: 'false' });
  scene.upstream.setScript(({ headers }) => (isKey(headers, 0) ? { status: 401 } : undefined));
  for (let sent = 0; sent < 20; sent += 1) expect((await scene.chat(MODEL)).status).toBe(200);
  expect(scene.used()[0]).toBe(1);
  expect(getChannelHealth(scene.ctx).get(scene.id, MODEL).circuitBreaker).toBe('closed');
  expect(await scene.statuses()).toEqual(['enabled', 'enabled', 'enabled']);
});

test('a failing upstream is not called again with each key', async () => {
  const scene = await prepare({ RetryTimes: '5' });
  scene.upstream.setScript(() => ({ status: 500 }));
  expect((await scene.chat(MODEL)).status).toBe(502);
  expect(scene.used().reduce((sum, times) => sum + times)).toBe(1);
});

test('a conversation stays with the account that answered it', async () => {
  const scene = await prepare({ SessionAffinityEnabled: 'true' });
  const turns = { user: 'one conversation', messages: [{ role: 'user', content: 'Hello there.' }] };
  for (let sent = 0; sent < 6; sent += 1) expect((await scene.chat(MODEL, turns)).status).toBe(200);
  expect(scene.used().toSorted((a, b) => a - b)).toEqual([0, 0, 6]);
});

test('the record names the key of each attempt by its last characters, to administrators', async () => {
  const scene = await prepare();
  scene.upstream.setScript(({ headers }) => (isKey(headers, 0) ? { status: 429 } : undefined));
  await (await scene.chat(MODEL)).text();
  await scene.waitUntilSettled();
  const [record] = await scene.records();
  const { attempts } = JSON.parse(record?.detail ?? '{}') as { attempts: { key_hint: string }[] };
  expect(attempts.map(({ key_hint }) => key_hint)).toEqual(['-one', expect.stringMatching(/^-(two|tri)$/)]);
});

test('requests for objects stored at the provider use the first key only, and fail while it is disabled', async () => {
  const scene = await prepare();
  const adminKey = await scene.newKey({ unlimited_quota: true }, scene.admin);
  const ask = async () => {
    const headers = { authorization: `Bearer ${adminKey}#${scene.id}` };
    const answer = await fetch(`${scene.url}/v1/files`, { headers });
    await answer.text();
    return answer.status;
  };
  for (let sent = 0; sent < 3; sent += 1) await ask();
  expect(scene.used()).toEqual([3, 0, 0]);
  const api = scene.admin.api(channelKeys);
  const params = { id: channelId.parse(scene.id) };
  const [first] = await api.list({ params });
  await api.switch({ params: { ...params, key: first?.id ?? '' }, body: { in_use: false } });
  expect(await ask()).toBe(503);
  expect(scene.used()).toEqual([3, 0, 0]);
});

test('a pinned channel continues with another key after a key’s failure', async () => {
  const scene = await prepare();
  const adminKey = await scene.newKey({ unlimited_quota: true }, scene.admin);
  scene.upstream.setScript(({ headers }) => (isKey(headers, 0) ? { status: 429 } : undefined));
  expect((await scene.chat(MODEL, {}, `${adminKey}#${scene.id}`)).status).toBe(200);
  expect(scene.used()[0]).toBe(1);
});
