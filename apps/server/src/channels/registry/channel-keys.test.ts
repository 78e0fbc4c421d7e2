import { channelKeys } from '@switchyard/contract/channels/channel-keys';
import { channels } from '@switchyard/contract/channels/channels';
import { afterAll, expect, test } from 'vitest';
import { startScriptedUpstream } from '../../../../../tests/scripted-upstream/scripted-upstream.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { disableKey, removeKey, setKeyEnabled } from './channel-keys.ts';
import { listAutoDisabledKeys, loadChannels, testChannel } from './registry.ts';
import { channelKeyRoutes, channelRoutes } from './routes.ts';

const upstream = await startScriptedUpstream(['scripted-model']);
afterAll(() => upstream.close());
const app = await useFeatureApp([serveRoutes(channelKeys, channelKeyRoutes), serveRoutes(channels, channelRoutes)]);
const admin = await app.createUser('admin');
const api = admin.api(channels);
const keysApi = admin.api(channelKeys);

const KEYS = ['sk-canary-key-one-aaaa', 'sk-canary-key-two-bbbb', 'sk-canary-key-three-cccc'];

async function create(keys = KEYS) {
  const [channel] = await api.create({
    body: {
      name: 'several',
      type: 8,
      base_url: upstream.url,
      models: ['scripted-model'],
      key: keys.join('\n'),
      keys_as: 'one-channel',
    },
  });
  if (channel === undefined) throw new Error('No channel was created');
  const params = { id: channel.id };
  return {
    ...params,
    channel: () => api.get({ params }),
    list: () => keysApi.list({ params }),
    states: async () => (await keysApi.list({ params })).map(({ hint, status }) => [hint, status]),
    inUse: async () => {
      const loaded = (await loadChannels(app.ctx)).find(({ id }) => id === channel.id);
      return loaded?.keys.map(({ target }) => target.credentials['key']);
    },
    key: async (nth: number) => {
      const key = (await keysApi.list({ params }))[nth];
      if (key === undefined) throw new Error('No such key');
      return { params: { ...params, key: key.id } };
    },
  };
}

test('several lines become the keys of one channel, shown by their last characters only', async () => {
  const { channel, inUse, list } = await create([...KEYS, '', KEYS[0] ?? '']);
  expect(await channel()).toMatchObject({ key_hint: 'aaaa', key_count: 3, keys_out: 0 });
  expect(await inUse()).toEqual(KEYS);
  const answer = JSON.stringify([await channel(), await list()]);
  expect(answer).not.toContain('canary');
});

test('the ids of keys reveal nothing: the same key has a different id in another channel', async () => {
  const [one, other] = [await create(), await create()];
  const names = async ({ list }: typeof one) => (await list()).map(({ id }) => id);
  expect(new Set([...(await names(one)), ...(await names(other))]).size).toBe(6);
  const rows = await app.ctx.db.writer.selectFrom('channel').selectAll().where('id', '=', one.id).execute();
  expect(JSON.stringify(rows)).not.toContain('canary');
});

test('keys are added but not twice, and removed', async () => {
  const { id, key, states, inUse, channel } = await create();
  await keysApi.add({ params: { id }, body: { key: `${KEYS[1]}\nsk-canary-key-four-dddd` } });
  expect(await states()).toEqual(['aaaa', 'bbbb', 'cccc', 'dddd'].map((hint) => [hint, 'enabled']));
  await keysApi.remove(await key(0));
  expect(await inUse()).toEqual([KEYS[1], KEYS[2], 'sk-canary-key-four-dddd']);
  expect(await channel()).toMatchObject({ key_hint: 'bbbb', key_count: 3, keys_out: 0 });
});

test('the JSON of a service account stays one key, beside any others', async () => {
  const account = JSON.stringify({ type: 'service_account', project_id: 'p-1' }, null, 2);
  const { id, list, inUse } = await create([account]);
  const [before] = await list();
  await keysApi.add({ params: { id }, body: { key: KEYS[0] ?? '' } });
  expect((await list()).map(({ id: name }) => name)).toContain(before?.id);
  expect((await inUse())?.map((text = '') => text.length)).toEqual([
    JSON.stringify(JSON.parse(account)).length,
    KEYS[0]?.length,
  ]);
});

test('a key that an administrator disables is not used until it is enabled, as the history shows', async () => {
  const { id, key, inUse, channel } = await create();
  const first = await key(0);
  expect(await keysApi.switch({ ...first, body: { in_use: false } })).toMatchObject({ status: 'disabled' });
  expect(await inUse()).toEqual([KEYS[1], KEYS[2]]);
  expect((await channel()).keys_out).toBe(1);
  await keysApi.test(first);
  expect((await listAutoDisabledKeys(app.ctx)).some(({ channelId }) => channelId === id)).toBe(false);
  expect(await inUse()).toEqual([KEYS[1], KEYS[2]]);
  await keysApi.switch({ ...first, body: { in_use: true } });
  expect(await inUse()).toEqual(KEYS);
  const { events } = await api.health({ params: { id } });
  expect(events.map(({ event, reason, username }) => [event, reason, username !== ''])).toEqual([
    ['key-enabled', '…aaaa', true],
    ['key-disabled', '…aaaa', true],
  ]);
});

test('the last key in use can be neither taken out nor removed', async () => {
  const { key, inUse } = await create(KEYS.slice(0, 2));
  await keysApi.switch({ ...(await key(0)), body: { in_use: false } });
  const last = { fields: [{ path: 'key', rule: 'last-key' }] };
  await expect(keysApi.switch({ ...(await key(1)), body: { in_use: false } })).rejects.toMatchObject(last);
  await expect(keysApi.remove(await key(1))).rejects.toMatchObject(last);
  expect(await inUse()).toEqual([KEYS[1]]);
});

test('refused keys go one by one, the channel with the last; switching it on brings all of them back', async () => {
  const { id, list, channel, states, inUse } = await create();
  const keys = await list();
  for (const [nth, key] of keys.entries()) {
    expect((await channel()).status).toBe('enabled');
    await disableKey(app.ctx, id, key.id, `refused ${nth}`);
  }
  expect(await channel()).toMatchObject({ status: 'auto-disabled', disabled_reason: 'refused 2', keys_out: 2 });
  expect((await list())[0]).toMatchObject({ status: 'auto-disabled', reason: 'refused 0' });
  await api.update({ body: { id, status: 'enabled' } });
  expect(await states()).toEqual(['aaaa', 'bbbb', 'cccc'].map((hint) => [hint, 'enabled']));
  expect(await inUse()).toEqual(KEYS);
});

test('two keys that are refused at the same time never leave a channel in use without any', async () => {
  const { id, list, channel, inUse } = await create(KEYS.slice(0, 2));
  await Promise.all((await list()).map(({ id: key }) => disableKey(app.ctx, id, key, 'refused')));
  expect((await channel()).status).toBe('auto-disabled');
  await api.update({ body: { id, status: 'enabled' } });
  expect(await inUse()).toHaveLength(2);
});

/** Both orders of two calls, and all interleavings of their steps. */
async function interleaved(
  scene: () => Promise<readonly [() => Promise<unknown>, () => Promise<unknown>, () => Promise<void>]>,
): Promise<void> {
  for (let steps = -40; steps <= 40; steps += 2) {
    const [one, other, check] = await scene();
    const later = async (call: () => Promise<unknown>, by: number): Promise<void> => {
      for (let step = 0; step < by; step += 1) await Promise.resolve();
      await call();
    };
    await Promise.allSettled([later(one, -steps), later(other, steps)]);
    await check();
  }
}

test('removing and disabling keys at the same time leaves a key in use', async () => {
  await interleaved(async () => {
    const { id, list, key, inUse, channel } = await create();
    await keysApi.switch({ ...(await key(2)), body: { in_use: false } });
    const [first = '', second = ''] = (await list()).map(({ id: name }) => name);
    return [
      () => removeKey(app.ctx, id, first),
      () => setKeyEnabled(app.ctx, id, second, false, 1),
      async () => {
        expect((await channel()).status).toBe('enabled');
        expect(await inUse()).toHaveLength(1);
      },
    ];
  });
});

test('a key that an administrator takes out stays out by his word while it is refused', async () => {
  await interleaved(async () => {
    const { id, list, states } = await create();
    const [first = ''] = (await list()).map(({ id: name }) => name);
    return [
      () => setKeyEnabled(app.ctx, id, first, false, 1),
      () => disableKey(app.ctx, id, first, 'refused'),
      async () => expect((await states())[0]).toEqual(['aaaa', 'disabled']),
    ];
  });
});

test('a key that responds again is enabled, and its channel with it', async () => {
  const { list, id, channel, states } = await create(KEYS.slice(0, 2));
  for (const key of await list()) await disableKey(app.ctx, id, key.id, 'refused');
  const out = (await listAutoDisabledKeys(app.ctx)).filter(({ channelId }) => channelId === id);
  expect(out).toHaveLength(1);
  for (const { channelId, keyId } of out) await testChannel(app.ctx, channelId, { keyId, byHand: false });
  expect((await channel()).status).toBe('enabled');
  expect(await states()).toEqual([
    ['aaaa', 'enabled'],
    ['bbbb', 'enabled'],
  ]);
});

test('a test of one key is made with that key', async () => {
  const { key } = await create();
  expect(await keysApi.test(await key(2))).toMatchObject({ success: true });
  expect(upstream.requests.at(-1)?.headers.authorization).toBe(`Bearer ${KEYS[2]}`);
});

test('another key takes the place of all, but several cannot', async () => {
  const { id, inUse, channel, key } = await create();
  await keysApi.switch({ ...(await key(0)), body: { in_use: false } });
  await expect(api.update({ body: { id, key: KEYS.toReversed().join('\n') } })).rejects.toMatchObject({
    fields: [{ path: 'key', rule: 'one-line' }],
  });
  await api.update({ body: { id, name: 'renamed' } });
  expect((await channel()).key_count).toBe(3);
  await api.update({ body: { id, key: KEYS[0] ?? '' } });
  expect(await inUse()).toEqual([KEYS[0]]);
});

test('a key cannot be reached through another channel', async () => {
  const [one, other] = [await create(), await create()];
  const { params } = await one.key(0);
  const foreign = { params: { ...params, id: other.id } };
  for (const call of [
    () => keysApi.remove(foreign),
    () => keysApi.test(foreign),
    () => keysApi.switch({ ...foreign, body: { in_use: false } }),
  ])
    await expect(call()).rejects.toMatchObject({ code: 'not-found' });
});

test('a removed channel leaves no states behind', async () => {
  const { id, key } = await create();
  await keysApi.switch({ ...(await key(0)), body: { in_use: false } });
  await api.remove({ params: { id } });
  const left = await app.ctx.db.writer
    .selectFrom('channel_key_state')
    .selectAll()
    .where('channel_id', '=', id)
    .execute();
  expect(left).toEqual([]);
});
