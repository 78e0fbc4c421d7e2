import { channelEdits } from '@switchyard/contract/channels/bulk-edits-and-import';
import { channels } from '@switchyard/contract/channels/channels';
import { startCpuTimer } from '@switchyard/relay/cpu-timer';
import { afterEach, expect, test } from 'vitest';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { channelEditRoutes } from '../bulk-edit/edit-and-import-routes.ts';
import { loadChannels } from '../registry/registry.ts';
import { channelRoutes } from '../registry/routes.ts';

const OPENAI = 1;
const app = await useFeatureApp([serveRoutes(channelEdits, channelEditRoutes), serveRoutes(channels, channelRoutes)]);
const admin = await app.createUser('admin');
const api = admin.api(channels);
const edits = admin.api(channelEdits);

afterEach(() => app.ctx.db.writer.deleteFrom('channel').execute());

const row = {
  name: 'imported',
  type: OPENAI,
  key: 'sk-import-secret-0001',
  models: 'gpt-4o,gpt-4o-mini',
  group: 'default',
};
const take = (content: unknown, changes: object = {}) =>
  edits.import({ body: { content: content as string, ...changes } });
const all = async () => (await api.list({ query: { size: 100, order: 'id' } })).data;
const loaded = async (name: string) => (await loadChannels(app.ctx)).find((channel) => channel.name === name);

test('a name and password in an address, which no product sends, are not stored', async () => {
  await take([
    { ...row, name: 'one', base_url: 'https://name:p@ss@93.184.215.14/v1/' },
    { ...row, name: 'two', base_url: 'https://93.184.215.14/@team' },
  ]);
  expect((await all()).map(({ base_url }) => base_url)).toEqual([
    'https://93.184.215.14/v1',
    'https://93.184.215.14/@team',
  ]);
});

test('rows of the replaced gateways become channels, and values without an equivalent are named', async () => {
  const { source, items } = await take([
    {
      ...row,
      priority: 5,
      weight: 0,
      tag: 'moved',
      model_mapping: '{"gpt-4o":"+real"}',
      model_headers: '{"x-team":"header-secret-1"}',
      proxy: '',
      pre_cost: 2,
      plugin: { customize: { 1: '/chat' } },
      used_quota: 500,
      status: 3,
    },
  ]);
  expect(source).toBe('one-hub');
  expect(items).toMatchObject([{ outcome: 'new', left_out: ['plugin.customize'], refusals: [] }]);
  expect(await all()).toMatchObject([
    {
      name: 'imported',
      models: ['gpt-4o', 'gpt-4o-mini'],
      priority: 5,
      weight: 1,
      tag: 'moved',
      model_mapping: { 'gpt-4o': '+real' },
      held_prompt: 'without-images',
      status: 'disabled',
      key_hint: '0001',
    },
  ]);
});

test('each gateway’s numbers mean its own vendors', async () => {
  const typeOf = async (type: number, source: string, extra: object = {}) =>
    (await take([{ ...row, type, ...extra }], { source, dry_run: true })).items[0]?.type;
  expect(await typeOf(25, 'one-hub')).toBe(25);
  expect(await typeOf(24, 'one-api')).toBe(25);
  expect(await typeOf(24, 'new-api')).toBe(25);
  expect(await typeOf(43, 'new-api')).toBe(28);
  expect(await typeOf(36, 'one-api')).toBe(28);
  expect(await typeOf(2, 'one-hub')).toBe(8);
  const unknown = await take([{ ...row, type: 51 }], { source: 'new-api' });
  expect(unknown.items).toMatchObject([{ outcome: 'refused', refusals: [{ path: 'type' }] }]);
});

test('imports the free-text field as the option of its provider', async () => {
  await take([
    { ...row, name: 'azure', type: 3, base_url: 'https://one.openai.azure.com/', other: '2024-10-21', plugin: {} },
    { ...row, name: 'vertex', type: 42, key: '{"type":"service_account"}', other: 'europe-west1|my-project' },
  ]);
  expect(await all()).toMatchObject([
    { name: 'azure', base_url: 'https://one.openai.azure.com', options: { apiVersion: '2024-10-21' } },
    { name: 'vertex', options: { location: 'europe-west1', project: 'my-project' } },
  ]);
  await take([{ ...row, name: 'aws', type: 33, key: 'AK|SK|us-east-1', channel_info: {} }]);
  expect((await loaded('aws'))?.target.credentials).toMatchObject({ region: 'us-east-1', accessKey: 'AK' });
});

test('each plugin becomes its equivalent, and settings without one are named', async () => {
  const plugged = async (type: number, plugin: unknown, extra: object = {}) => {
    const name = `plugged-${type}`;
    const { items } = await take([{ ...row, name, type, plugin, ...extra }]);
    const channel = (await all()).find((one) => one.name === name);
    return { channel, left: items[0]?.left_out, refusals: items[0]?.refusals };
  };
  const paths = { 1: '/chat', 5: 'disable', 9: '', 14: '/live', 12: '/suno', 3: 'no slash' };
  expect(await plugged(8, { customize: paths }, { base_url: 'https://93.184.215.14' })).toMatchObject({
    channel: { options: { chatPath: '/chat', imagesPath: '-', realtimePath: '/live' } },
    left: ['plugin.customize.3', 'plugin.customize.12'],
  });
  const zhipu = {
    retrieval: { knowledge_id: '1790', prompt_template: '{{knowledge}}\n{{question}}' },
    web_search: { enable: true },
    web_browser: { enable: true },
    drawing_tool: { enable: false },
    code_interpreter: { sandbox: 'none' },
    own: 'text',
  };
  expect(await plugged(16, JSON.stringify(zhipu))).toMatchObject({
    channel: {
      options: {
        knowledge: '1790',
        knowledgePrompt: '{{knowledge}}\n{{question}}',
        webSearch: 'search_std',
        codeInterpreter: 'none',
      },
    },
    left: ['plugin.web_browser', 'plugin.own'],
  });
  const search = { web_search: { enable: true }, use_openai_api: { enable: true } };
  expect(await plugged(17, search)).toMatchObject({ channel: { options: { webSearch: 'on' } }, left: [] });
  const off = { code_execution: { enable: false } };
  expect((await plugged(25, off)).channel?.options).toEqual({});
  const voice = { alloy: 'zh-CN-YunxiNeural|Boy', echo: '', nova: 'zh-CN-XiaoxiaoNeural' };
  expect(await plugged(24, { voice }, { other: 'eastasia' })).toMatchObject({
    channel: { options: { region: 'eastasia', voices: 'alloy=zh-CN-YunxiNeural|Boy, nova=zh-CN-XiaoxiaoNeural' } },
  });
  expect(await plugged(27, { voice: { nova: 'a|happy' } })).toMatchObject({
    channel: { options: { voices: 'nova=a|happy' } },
  });
});

test('routing at OpenRouter becomes a default of its models, and headers of Ollama those of the channel', async () => {
  const routing = { anthropic: { order: ['Anthropic'] }, openai: { only: ['azure'] } };
  const access = { 'CF-Access-Client-Id': 'id-of-access', 'CF-Access-Client-Secret': 'secret-of-access' };
  await take([
    { ...row, name: 'routed', type: 20, plugin: { other: { provider: JSON.stringify(routing) } } },
    { ...row, name: 'sorted', type: 20, plugin: { other: { provider: '{"sort":"price"}' } } },
    { ...row, name: 'tunnelled', type: 39, plugin: { headers: access }, model_headers: '{"x-a":"b"}' },
  ]);
  expect((await loaded('routed'))?.target.changes?.bodies).toMatchObject([
    { models: ['anthropic/*'], defaults: { provider: { order: ['Anthropic'] } } },
    { models: ['openai/*'], defaults: { provider: { only: ['azure'] } } },
  ]);
  expect((await loaded('sorted'))?.target.changes?.bodies).toMatchObject([
    { models: [], defaults: { provider: { sort: 'price' } } },
  ]);
  expect((await loaded('tunnelled'))?.target.headers).toEqual({ 'x-a': 'b', ...access });
});

test('text in a row that is nested too deeply is no JSON', async () => {
  const deep = '['.repeat(20_000) + ']'.repeat(20_000);
  const { items } = await take([
    { ...row, name: 'key', type: 41, key: `[${deep}]`, channel_info: { is_multi_key: true } },
    { ...row, name: 'routing', type: 20, plugin: { other: { provider: `{"a":${deep}}` } } },
  ]);
  expect(items.map(({ left_out: left }) => left)).toEqual([[], ['plugin.other.provider']]);
});

test('an address that is too long is refused, and read in time that grows with its length only', async () => {
  const readCpuMs = startCpuTimer();
  const { items } = await take([{ ...row, base_url: `https://93.184.215.14${'/'.repeat(400_000)}x` }]);
  expect(items[0]?.refusals).toMatchObject([{ path: 'base_url' }]);
  expect(readCpuMs()).toBeLessThan(5_000);
});

test('a row with several keys becomes one channel that has them all', async () => {
  const info = { is_multi_key: true, multi_key_size: 2, multi_key_mode: 'polling' };
  const accounts = [
    { type: 'service_account', project_id: 'a' },
    { type: 'service_account', project_id: 'b' },
  ];
  const { items } = await take([
    { ...row, name: 'several', key: 'sk-1-aaaa\nsk-2-bbbb', channel_info: info },
    {
      ...row,
      name: 'clouds',
      type: 33,
      key: 'AK1|SK1|us-east-1\nAK2|SK2|eu-west-1',
      channel_info: JSON.stringify({ ...info, multi_key_status_list: { 1: 3 } }),
    },
    { ...row, name: 'accounts', type: 41, key: JSON.stringify(accounts), channel_info: info },
    {
      ...row,
      name: 'texts',
      type: 41,
      key: JSON.stringify(accounts.map((account) => JSON.stringify(account, undefined, 2))),
      channel_info: info,
    },
  ]);
  expect(items.map(({ left_out: left }) => left)).toEqual([[], ['channel_info.multi_key_status_list'], [], []]);
  expect(await all()).toMatchObject([
    { name: 'several', key_count: 2 },
    { name: 'clouds', key_count: 2 },
    { name: 'accounts', key_count: 2 },
    { name: 'texts', key_count: 2 },
  ]);
  expect((await loaded('accounts'))?.keys?.map(({ target }) => target.credentials['key'])).toEqual(
    accounts.map((account) => JSON.stringify(account)),
  );
  const regions = (await loaded('clouds'))?.keys?.map(({ target }) => target.credentials['region']);
  expect(regions).toEqual(['us-east-1', 'eu-west-1']);
});
