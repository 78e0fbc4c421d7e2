import { tokenRates } from '@switchyard/contract/catalog/price-rates';
import { channels } from '@switchyard/contract/channels/channels';
import type { ChannelId } from '@switchyard/contract/ids';
import { afterAll, expect, test } from 'vitest';
import { startScriptedUpstream } from '../../../../../tests/scripted-upstream/scripted-upstream.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { disableKey } from './channel-keys.ts';
import { enableChannel, listKeys, loadChannels } from './registry.ts';
import { channelRoutes } from './routes.ts';

const CUSTOM = 8;
const upstream = await startScriptedUpstream(['scripted-model', 'another-model']);
afterAll(() => upstream.close());
const app = await useFeatureApp([serveRoutes(channels, channelRoutes)]);
const admin = await app.createUser('admin');
const api = admin.api(channels);

const form = {
  name: 'upstream',
  type: CUSTOM,
  base_url: upstream.url,
  models: ['scripted-model'],
  key: 'sk-upstream-secret-key-0001',
};
const create = async (changes: Partial<Parameters<typeof api.create>[0]['body']> = {}) => {
  const [channel] = await api.create({ body: { ...form, ...changes } });
  if (channel === undefined) throw new Error('No channel was created');
  return channel;
};
const byId = (id: ChannelId) => ({ params: { id } });

test('one channel for each line of the key, named after the first', async () => {
  const created = await api.create({ body: { ...form, name: 'lines', key: 'sk-line-1-aaaa\n\n  sk-line-2-bbbb\n' } });
  expect(created.map(({ name, key_hint }) => [name, key_hint])).toEqual([
    ['lines', 'aaaa'],
    ['lines_2', 'bbbb'],
  ]);
  const loaded = (await loadChannels(app.ctx)).filter(({ name }) => name.startsWith('lines'));
  expect(loaded.map(({ target }) => target.credentials['key'])).toEqual(['sk-line-1-aaaa', 'sk-line-2-bbbb']);
});

test('a change keeps the parts of a setting that it leaves out', async () => {
  const { id } = await create({ name: 'parts' });
  const bodies = [{ models: [], rename: {}, remove: [], defaults: {}, set: { max_tokens: 100 } }];
  await api.update({ body: { id, deadlines: { connect: 3 }, request_changes: { bodies } } });
  await api.update({ body: { id, cost: { models: { 'gpt-*': tokenRates.parse({ input: 1, output: 2 }) } } } });
  const changed = await api.update({
    body: { id, deadlines: { idle: 9 }, cost: { ratio: 3 }, request_changes: { streaming: 'never' } },
  });
  expect(changed).toMatchObject({
    deadlines: { connect: 3, idle: 9 },
    cost: { ratio: 3, models: { 'gpt-*': { input: 1, output: 2 } } },
    request_changes: { streaming: 'never', bodies },
  });
});

test('secrets are sealed in the database and masked in answers', async () => {
  const secrets = {
    key: 'sk-canary-key-000000000001',
    model_headers: { 'x-canary': 'header-canary-000000000001' },
    proxy: 'http://user:proxy-canary-0001@127.0.0.1:3128',
  };
  const channel = await create({ name: 'sealed', ...secrets });
  expect(channel).toMatchObject({ key_hint: '0001', model_headers: { 'x-canary': '••••0001' }, proxy: '••••3128' });
  const row = await app.ctx.db.writer
    .selectFrom('channel')
    .selectAll()
    .where('id', '=', channel.id)
    .executeTakeFirstOrThrow();
  expect(JSON.stringify(row)).not.toMatch(/canary-key|header-canary|proxy-canary/);
  const loaded = (await loadChannels(app.ctx)).find(({ id }) => id === channel.id);
  expect(loaded).toMatchObject({
    proxy: secrets.proxy,
    target: { credentials: { key: secrets.key }, headers: secrets.model_headers },
  });
});

test('an unchanged mask and an empty key keep the stored values; other masks are refused', async () => {
  const channel = await create({
    name: 'masked',
    model_headers: { 'x-one': 'first-header-value', 'x-two': 'second-header-value' },
  });
  const kept = await api.update({
    body: { id: channel.id, key: '', model_headers: { 'x-one': '••••alue', 'x-new': 'fresh-header-value' } },
  });
  expect(Object.keys(kept.model_headers)).toEqual(['x-one', 'x-new']);
  const loaded = (await loadChannels(app.ctx)).find(({ id }) => id === channel.id);
  expect(loaded?.target.credentials['key']).toBe(form.key);
  expect(loaded?.target.headers).toEqual({ 'x-one': 'first-header-value', 'x-new': 'fresh-header-value' });
  const wrong = api.update({ body: { id: channel.id, model_headers: { 'x-one': '••••0000' } } });
  await expect(wrong).rejects.toMatchObject({ fields: [{ path: 'model_headers', rule: 'unknown-mask' }] });
});

test('stored secrets are never sent to another address than the one that they were entered for', async () => {
  const other = 'http://127.0.0.1:1';
  const proxy = 'http://127.0.0.1:2';
  const channel = await create({ name: 'staying', model_headers: { 'x-team': 'secret-header-value' } });
  const { id } = channel;
  const before = upstream.requests.length;
  const neededAgain = (path: string) => ({ fields: [{ path, rule: 'needed-again' }] });

  for (const change of [{ base_url: other }, { proxy }, { type: 1, base_url: '' }])
    await expect(api.update({ body: { id, ...change } })).rejects.toMatchObject(neededAgain('key'));
  for (const change of [{ base_url: other }, { base_url: upstream.url, proxy }])
    await expect(api.fetchModels({ body: { id, type: CUSTOM, ...change } })).rejects.toMatchObject(neededAgain('key'));
  const headersKept = api.update({
    body: { id, base_url: other, key: 'sk-other', model_headers: channel.model_headers },
  });
  await expect(headersKept).rejects.toMatchObject(neededAgain('model_headers'));
  expect((await api.get(byId(id))).base_url).toBe(upstream.url);
  expect(upstream.requests.length).toBe(before);

  await api.update({ body: { id, base_url: `${upstream.url}/path`, name: 'same host' } });
  await api.update({ body: { id, base_url: other, proxy, key: 'sk-other', model_headers: {} } });
  await api.update({ body: { id, proxy: '' } });
});

test('a channel without a stored key may move', async () => {
  const { id } = await create({ name: 'keyless', key: '' });
  expect((await api.update({ body: { id, base_url: 'http://127.0.0.1:1' } })).base_url).toContain(':1');
});

test('an address inside needs the permission of the operator', async () => {
  for (const base_url of ['http://10.0.0.1', 'http://169.254.169.254', 'http://[::1]:8080', 'http://2130706434'])
    await expect(create({ base_url })).rejects.toMatchObject({
      fields: [{ path: 'base_url', rule: 'address-not-allowed' }],
    });
  await expect(create({ proxy: 'socks5://10.0.0.1:1080' })).rejects.toMatchObject({
    fields: [{ path: 'proxy', rule: 'address-not-allowed' }],
  });
});

test('names the field that does not fit the provider', async () => {
  const noAddress = create({ base_url: '' });
  await expect(noAddress).rejects.toMatchObject({ fields: [{ path: 'base_url', rule: 'required' }] });
  const withPassword = create({ base_url: upstream.url.replace('//', '//name:password@') });
  await expect(withPassword).rejects.toMatchObject({
    fields: [{ path: 'base_url', rule: 'has-credentials' }],
    message: expect.not.stringContaining('password@'),
  });
  const noProvider = create({ type: 999 });
  await expect(noProvider).rejects.toMatchObject({ fields: [{ path: 'type', rule: 'unknown-provider' }] });
  const noOption = create({ options: { colour: 'red' } });
  await expect(noOption).rejects.toMatchObject({ fields: [{ path: 'options.colour', rule: 'unknown' }] });
  const noPath = create({ options: { chatPath: 'https://elsewhere.example/v1' } });
  await expect(noPath).rejects.toMatchObject({ fields: [{ path: 'options.chatPath', rule: 'not-a-path' }] });
  const noGroup = create({ group: ['nowhere'] });
  await expect(noGroup).rejects.toMatchObject({ fields: [{ path: 'group', rule: 'unknown-group' }] });
  const noKey = create({ type: 1, base_url: '', key: '' });
  await expect(noKey).rejects.toMatchObject({ fields: [{ path: 'key', rule: 'required' }] });
});

test('finds channels by name, model, tag, group, type and status', async () => {
  const found = await create({ name: 'Find me', tag: 'eu', models: ['rare-model-1'], group: ['vip'] });
  const ids = async (query: Parameters<typeof api.list>[0]) =>
    (await api.list(query)).data.map((channel) => channel.id);
  for (const query of [
    { keyword: 'find ME' },
    { keyword: 'RARE-model' },
    { models: 'rare-model-1' },
    { tag: 'eu' },
    { group: 'vip' },
    { name: 'Find' },
  ])
    expect(await ids({ query }), JSON.stringify(query)).toEqual([found.id]);
  expect(await ids({ query: { type: 1 } })).toEqual([]);
  expect(await ids({ query: { group: 'vi' } })).toEqual([]);
  expect(await ids({ query: { models: '[' } })).toEqual([]);
});

test('sorts by usage, and each page continues after the previous one', async () => {
  const all = await api.list({ query: { order: '-used_quota' } });
  const one = await api.list({ query: { order: '-used_quota', size: 1, page: 2 } });
  expect(one.total_count).toBe(all.total_count);
  expect(one.data.map(({ id }) => id)).toEqual(all.data.slice(1, 2).map(({ id }) => id));
  expect(one.data).toHaveLength(1);
});

test('a test sends one short request, measures it and bills nothing', async () => {
  const channel = await create({ name: 'tested' });
  const before = upstream.requests.length;
  const result = await api.test({ ...byId(channel.id) });
  expect(result).toMatchObject({ success: true, model: 'scripted-model', message: '' });
  expect(upstream.requests.length).toBe(before + 1);
  expect(upstream.requests.at(-1)?.headers.authorization).toBe(`Bearer ${form.key}`);
  const after = await api.get(byId(channel.id));
  expect(after.response_time).toBeGreaterThan(0);
  expect(after.test_time).toBeGreaterThan(0);
  expect(await app.ctx.db.writer.selectFrom('usage_record').selectAll().execute()).toEqual([]);
});

test('a failed test has the vendor’s message, without the key', async () => {
  const channel = await create({ name: 'failing' });
  upstream.setScript(() => ({ status: 401 }));
  const result = await api.test(byId(channel.id));
  upstream.setScript(undefined);
  expect(result.success).toBe(false);
  expect(result.message).not.toBe('');
  expect(result.message).not.toContain(form.key);
  expect((await api.get(byId(channel.id))).response_time).toBe(0);
});

test('a test asks for the model that the mapping names', async () => {
  const channel = await create({ name: 'mapped', models: ['alias'], model_mapping: { alias: '+scripted-model' } });
  expect(await api.test(byId(channel.id))).toMatchObject({ success: true, model: 'alias' });
  expect(upstream.requests.at(-1)?.json['model']).toBe('scripted-model');
});

test('an auto-disabled channel is enabled by a successful test', async () => {
  const channel = await create({ name: 'recovering' });
  const [key] = await listKeys(app.ctx, channel.id);
  await disableKey(app.ctx, channel.id, key?.id ?? '', 'The key was refused twice');
  expect(await api.get(byId(channel.id))).toMatchObject({
    status: 'auto-disabled',
    disabled_reason: 'The key was refused twice',
  });
  expect((await loadChannels(app.ctx)).some(({ id }) => id === channel.id)).toBe(false);
  await api.test(byId(channel.id));
  expect(await api.get(byId(channel.id))).toMatchObject({ status: 'enabled', disabled_reason: '' });
});

test('a channel that an administrator disabled stays out', async () => {
  const channel = await create({ name: 'off' });
  await api.update({ body: { id: channel.id, status: 'disabled' } });
  await enableChannel(app.ctx, channel.id);
  await api.test(byId(channel.id));
  expect((await api.get(byId(channel.id))).status).toBe('disabled');
});

test("lists the vendor's models for an unsaved form and, by id, with the stored key", async () => {
  const { models: _models, name: _name, ...unsaved } = form;
  expect(await api.fetchModels({ body: { ...unsaved, options: {}, model_headers: {}, proxy: '' } })).toEqual([
    'another-model',
    'scripted-model',
  ]);
  const channel = await create({ name: 'listed' });
  await api.fetchModels({ body: { id: channel.id, type: CUSTOM, base_url: upstream.url } });
  expect(upstream.requests.at(-1)?.headers.authorization).toBe(`Bearer ${form.key}`);
});

test('shows which providers do not report a balance', async () => {
  const channel = await create({ name: 'no balance' });
  await expect(api.updateBalance(byId(channel.id))).rejects.toMatchObject({ code: 'not-supported' });
});

test('describes every provider by the integer of the public API', async () => {
  const providers = await api.providers();
  expect(providers.find(({ id }) => id === 'openai')).toMatchObject({ type: 1, can_list_models: true });
  expect(new Set(providers.map(({ type }) => type)).size).toBe(providers.length);
});

test('deleted channels lose their secrets and keep their name', async () => {
  const channel = await create({ name: 'leaving' });
  await api.remove(byId(channel.id));
  await expect(api.get(byId(channel.id))).rejects.toMatchObject({ code: 'not-found' });
  const row = await app.ctx.db.writer
    .selectFrom('channel')
    .select(['name', 'key_sealed', 'key_hint'])
    .where('id', '=', channel.id)
    .executeTakeFirstOrThrow();
  expect(row).toEqual({ name: 'leaving', key_sealed: '', key_hint: '' });
});

test('deletes all that are not enabled, and several by id', async () => {
  const [first, second, third] = await api.create({
    body: { ...form, name: 'batch', key: 'key-one-111111\nkey-two-222222\nkey-three-333333' },
  });
  if (first === undefined || second === undefined || third === undefined) throw new Error('Too few channels');
  await api.removeDisabled();
  await api.update({ body: { id: first.id, status: 'disabled' } });
  expect(await api.removeDisabled()).toBe(1);
  expect(await api.removeMany({ body: { ids: [first.id, second.id, third.id] } })).toBe(2);
});

test('a channel sealed with another master key is left out of the relay and can still be edited', async () => {
  const channel = await create({ name: 'foreign' });
  await app.ctx.db.writer
    .updateTable('channel')
    .set({ key_sealed: app.ctx.vault.seal('channel-key', 'channel:0', 'moved from another row') })
    .where('id', '=', channel.id)
    .execute();
  expect((await loadChannels(app.ctx)).some(({ id }) => id === channel.id)).toBe(false);
  expect((await api.get(byId(channel.id))).name).toBe('foreign');
  await api.remove(byId(channel.id));
});

test('rejects a change that was validated against a channel that has changed since', async () => {
  const { id } = await create({ name: 'raced', base_url: 'https://93.184.215.14', key: 'sk-stored-0001' });
  const check = app.ctx.outbound.check.bind(app.ctx.outbound);
  app.ctx.outbound.check = async (url) => {
    app.ctx.outbound.check = check;
    await api.update({ body: { id, base_url: 'https://93.184.215.15', key: 'sk-other-0002' } });
    return check(url);
  };
  const late = api.update({ body: { id, base_url: 'https://93.184.215.14', model_headers: { 'x-a': 'b' } } });
  await expect(late).rejects.toMatchObject({ code: 'conflict' });
  const channel = (await loadChannels(app.ctx)).find((one) => one.id === id);
  expect([channel?.target.baseUrl, channel?.target.credentials['key']]).toEqual([
    'https://93.184.215.15',
    'sk-other-0002',
  ]);
});
