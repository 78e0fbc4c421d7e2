import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accessTokens } from '@switchyard/contract/accounts/access-tokens';
import { userGroups } from '@switchyard/contract/accounts/user-groups';
import { prices } from '@switchyard/contract/catalog/prices';
import { channels } from '@switchyard/contract/channels/channels';
import { settings } from '@switchyard/contract/operations/settings';
import { afterAll, expect, test, vi } from 'vitest';
import { removeShippedPrices } from '../../testing/relay-scene.ts';
import { setOptions } from '../../testing/set-options.ts';
import { type TestApp, useTestApp } from '../../testing/start-test-app.ts';
import { createVisitor } from '../../testing/visitor.ts';
import { type Api, exportFile, type Plan, planFile, readConfigFile } from './config-file.ts';
import { filePriceSchema } from './file-schema.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchyard-config-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const one = await useTestApp();
const other = await useTestApp();

const secrets: Readonly<Record<string, string>> = {
  SWITCHYARD_KEY_MAIN: 'sk-main-secret-0001',
  SWITCHYARD_KEY_MANY_KEYS: 'sk-many-secret-0002\nsk-many-secret-0003',
  SWITCHYARD_KEY_MANY_KEYS_2: 'sk-alike-secret-0004',
  SWITCHYARD_HEADER_MAIN_X_TEAM: 'team-secret-0005',
  SWITCHYARD_PROXY_MAIN: 'http://user:proxy-secret-0006@127.0.0.1:9/',
};

async function apiOf(app: TestApp): Promise<Api> {
  const root = await app.createUser('root');
  const { token } = await root
    .api(accessTokens)
    .create({
      body: {
        name: 'config',
        scopes: [
          'root',
          'channels.write',
          'channels.read',
          'groups.write',
          'groups.read',
          'prices.write',
          'prices.read',
        ],
        read_only: false,
        expires_time: 0,
      },
    });
  return (routes) => createVisitor(app.url, { authorization: `Bearer ${token}` }).api(routes);
}
const [api, otherApi] = [await apiOf(one), await apiOf(other)];

function fileOf(text: string) {
  const path = join(folder, 'switchyard.yaml');
  writeFileSync(path, text);
  return readConfigFile(path);
}

const plan = (to: Api, text: string, deleting = false): Promise<Plan> =>
  planFile(to, fileOf(text), {
    deletesMissing: deleting,
    readVariable: (name) => secrets[name],
    dataDir: join(folder, 'data'),
  });

const linesOf = ({ steps }: Plan): string[] => steps.flatMap(({ lines }) => lines);

async function apply(to: Api, text: string, deleting = false): Promise<string[]> {
  const planned = await plan(to, text, deleting);
  for (const { run } of planned.steps) await run();
  return linesOf(planned);
}

async function fill(): Promise<void> {
  await setOptions(one.ctx, {
    RetryTimes: '5',
    ModelFallbacks: '{"a":["b"]}',
    ServerAddress: 'https://a.example',
    Footer: '123',
    About: '${env:HOME}: {"a": 1}\n\n# not a comment\n',
    EmailDomainWhitelist: 'a.example,b.example',
    DisplayInCurrencyEnabled: 'false',
  });
  await api(userGroups).create({ body: { symbol: 'gold', name: 'Gold', ratio: 0.8 } });
  const price = filePriceSchema.parse({ rates: { input: 765, output: 9, webSearch: 0 } });
  await api(prices).create({ body: { ...price, model: 'own model*' } });
  const form = { type: 1, models: ['gpt-4o', 'own model 1'], base_url: 'http://127.0.0.1:9' };
  await api(channels).create({
    body: {
      ...form,
      name: 'main',
      key: secrets['SWITCHYARD_KEY_MAIN'],
      group: ['default', 'gold'],
      model_headers: { 'x-team': secrets['SWITCHYARD_HEADER_MAIN_X_TEAM'] ?? '' },
      proxy: secrets['SWITCHYARD_PROXY_MAIN'],
      request_changes: {
        system_as_user: true,
        streaming: 'as-asked',
        bodies: [{ models: [], rename: {}, remove: [], defaults: {}, set: { stop: null } }],
      },
      weight: 3,
    },
  });
  await api(channels).create({
    body: { ...form, name: 'many keys', key: secrets['SWITCHYARD_KEY_MANY_KEYS'], keys_as: 'one-channel' },
  });
  const [last] = await api(channels).create({
    body: { ...form, name: 'many-keys', key: secrets['SWITCHYARD_KEY_MANY_KEYS_2'] },
  });
  if (last !== undefined) await api(channels).update({ body: { id: last.id, status: 'disabled' } });
}

test('applies one installation’s export to another once, without a remaining difference', async () => {
  await fill();
  const { text } = await exportFile(api);
  for (const secret of Object.values(secrets)) expect(text).not.toContain(secret.slice(0, 12));
  expect(text).not.toContain('••');
  expect(linesOf(await plan(api, text, true))).toEqual([]);
  const done = await apply(otherApi, text);
  expect(done).toEqual([
    '~ settings.DisplayInCurrencyEnabled: true → false',
    '~ settings.RetryTimes: 2 → 5',
    '~ settings.ModelFallbacks: {} → {"a":["b"]}',
    expect.stringContaining('~ settings.EmailDomainWhitelist: with ["a.example","b.example"], without ['),
    '~ settings.Footer: "" → "123"',
    expect.stringContaining('~ settings.About: "" → "${env:HOME}: '),
    '+ groups.gold',
    '+ prices["own model*"]',
    '+ channels.main',
    '+ channels["many keys"]',
    '+ channels.many-keys',
  ]);
  const again = await plan(otherApi, text, true);
  expect(linesOf(again)).toEqual([]);
  expect(again.notes).toEqual([expect.stringMatching(/^settings\.ServerAddress stays: .*confirmed password/)]);
  const both = await Promise.all(
    [api, otherApi].map(async (from) => (await from(channels).list({ query: { order: 'id' } })).data),
  );
  const shown = both.map((list) => list.map(({ created_time: _time, ...channel }) => channel));
  expect(shown[1]).toEqual(shown[0]);
  expect(both[1]?.map(({ status, key_count: count }) => [status, count])).toEqual([
    ['enabled', 1],
    ['enabled', 2],
    ['disabled', 1],
  ]);
  expect((await exportFile(otherApi)).text).toBe(text.replace(/^.*ServerAddress.*\n/m, ''));
});

test('each difference is a line, secrets without their text, and omitted fields have their default', async () => {
  await removeShippedPrices({ api: otherApi }, ['']);
  const { text } = await exportFile(otherApi);
  const changed = text
    .replace('RetryTimes: 5', 'RetryTimes: 4')
    .replace('ratio: 0.8', 'ratio: 0.9')
    .replace('input: 765', 'input: 876')
    .replace('    weight: 3\n', '')
    .replace('${env:SWITCHYARD_KEY_MAIN}', 'sk-other-secret-0001')
    .replace(/- gold\n/, '- silver\n')
    .replace('  gold:\n', '  silver:\n    name: Silver\n    enable: false\n  gold:\n');
  const lines = [
    '~ settings.RetryTimes: 5 → 4',
    '+ groups.silver',
    '~ groups.gold.ratio: 0.8 → 0.9',
    '~ prices["own model*"].rates.input: 765 → 876',
    '~ channels.main.group: with ["silver"], without ["gold"]',
    '~ channels.main.weight: 3 → 1',
  ];
  expect(linesOf(await plan(otherApi, changed)).toSorted()).toEqual(lines.toSorted());
  expect(await apply(otherApi, changed)).toHaveLength(lines.length);
  expect(linesOf(await plan(otherApi, changed, true))).toEqual([]);
  const rotated = changed.replace('sk-other-secret-0001', 'sk-other-secret-7777');
  expect(linesOf(await plan(otherApi, rotated))).toEqual(['~ channels.main.key: changed']);
  const alike = changed.replace('sk-other-secret-0001', 'sk-third-secret-0001');
  expect(linesOf(await plan(otherApi, alike))).toEqual(['~ channels.main: secret changed']);
  const many = changed.replace(
    '${env:SWITCHYARD_KEY_MANY_KEYS}',
    '"sk-many-secret-0002\\nsk-new-secret-0008\\nsk-new-secret-0009"',
  );
  expect(await apply(otherApi, many)).toEqual(['~ channels["many keys"].key: changed']);
  expect(linesOf(await plan(otherApi, many))).toEqual([]);
  const regrouped = many
    .replace(/^groups:\n/m, 'groups:\n  later:\n    name: Later\n')
    .replace('    models:', '    priority: 2\n    models:')
    .replace('- silver\n', '- silver\n      - later\n');
  const both = ['+ groups.later', '~ channels.main.group: with ["later"]', '~ channels.main.priority: 0 → 2'];
  expect(linesOf(await plan(otherApi, regrouped))).toEqual(both);
  const entries = await other.ctx.db.writer.selectFrom('audit_entry').select('action').execute();
  expect(entries.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['setting.update', 'price.update', 'channel.import']),
  );
});

test('deletes entries that a section lacks only with --delete, and never the default group or entries of absent sections', async () => {
  const text =
    'version: 1\nsettings: {}\ngroups: {}\nchannels:\n  - {name: only, provider: openai, key: sk-1, models: [m]}\n';
  expect(linesOf(await plan(otherApi, text))).toEqual(['+ channels.only']);
  const priced = (await otherApi(prices).all()).length;
  const applied = await apply(otherApi, text, true);
  expect(applied).toEqual(
    expect.arrayContaining(['- channels.main', '- groups.gold', '- groups.vip', '~ settings.RetryTimes: 4 → 2']),
  );
  expect((await otherApi(channels).list()).data.map(({ name }) => name)).toEqual(['only']);
  expect((await otherApi(userGroups).list()).data.map(({ symbol }) => symbol)).toEqual(['default']);
  expect((await otherApi(prices).all()).length).toBe(priced);
  const options = new Map((await otherApi(settings).list()).map(({ key, value }) => [key, value]));
  expect(options.get('RetryTimes')).toBe('2');
  await otherApi(userGroups).create({ body: { symbol: 'used', name: 'Used' } });
  await other.createUser('user', { group: 'used' });
  const left = await plan(otherApi, text, true);
  expect(left).toMatchObject({
    steps: [],
    notes: ['groups.default stays: it cannot be deleted', 'groups.used stays: users (1) or tokens (0) use it'],
  });
});

test('an auto-disabled channel stays disabled; one that the file disabled is enabled without that line', async () => {
  const text = 'version: 1\nchannels:\n  - {name: only, provider: openai, models: [m]}\n';
  const status = (to: 'auto-disabled' | 'disabled') =>
    other.ctx.db.writer.updateTable('channel').set({ status: to }).where('name', '=', 'only').execute();
  await status('auto-disabled');
  expect(linesOf(await plan(otherApi, text))).toEqual([]);
  await status('disabled');
  expect(linesOf(await plan(otherApi, text))).toEqual(['~ channels.only.status: "disabled" → "enabled"']);
});

test('a file that is wrong anywhere changes nothing, and each error has its line and path', async () => {
  const wrong: readonly (readonly [string, string | RegExp])[] = [
    ['version: 2', ':1: version: must be 1, not 2'],
    ['settings: {}', ':1: version: is required'],
    ['version: 1\nsettings:\n  RetryTimes: 99', ':3: settings.RetryTimes: '],
    ['version: 1\nsettings:\n  SMTPToken: x', ':3: settings.SMTPToken: A secret'],
    ['version: 1\nsettings:\n  Nothing: x', ':3: settings.Nothing: There is no such setting'],
    ['version: 1\nchannels:\n  - name: a\n    provider: openai\n    models: []', ':5: channels[0].models: '],
    ['version: 1\nchannels:\n  - name: a\n    provider: nobody\n    models: [m]', ':4: channels[0].provider: '],
    [
      'version: 1\nchannels:\n  - name: a\n    provider: openai\n    models: [m]\n    wieght: 1',
      ':6: channels[0].wieght: Unknown field. Known fields: name, provider, key,',
    ],
    [
      'version: 1\ngroups:\n  a: {name: x, ratoi: 1}\nprices:\n  m.1: {rates: {input: 1, output: 1}, ratess: {}}\nchanels: []',
      /:3: groups\.a\.ratoi: Unknown field\. Known fields: name, .*\n.*:5: prices\["m\.1"\]\.ratess: Unknown field\. Known fields: .*\n.*:6: chanels: Unknown field\. Known fields: version, /,
    ],
    ['version: 1\ngroups:\n  a b: {name: x}', ':3: groups["a b"]: must have another name'],
    ['version: 1\nversion: 1', ':2: Map keys must be unique'],
    ['version: 1\n---\nversion: 1', 'Source contains multiple documents'],
  ];
  for (const [text, error] of wrong) expect(() => fileOf(text), text).toThrow(error);
  const channel = (fields: string): string =>
    `version: 1\ngroups:\n  new: {name: New}\nchannels:\n  - name: first\n    provider: openai\n    models: [m]\n${fields}`;
  await expect(plan(otherApi, channel('    key: ${env:NOT_THERE}'))).rejects.toThrow(
    ':8: channels[0].key: The variable NOT_THERE is not set',
  );
  await expect(apply(otherApi, channel('    key: ${file:/no/such}'))).rejects.toThrow('The file /no/such');
  await expect(apply(otherApi, channel(''))).rejects.toThrow('channels[0].key: OpenAI requires a key');
  await expect(apply(otherApi, channel('    key: a\n    group: [unknown]'))).rejects.toThrow(
    'There is no group unknown',
  );
  expect((await otherApi(userGroups).list()).data.map(({ symbol }) => symbol)).toEqual(['default', 'used']);
});

test('the reader prints no content of a file', () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  expect(() => fileOf('version: 1\nsettings:\n  ServerAddress: {{ word }}\n')).toThrow(':3: settings');
  expect(warned).not.toHaveBeenCalled();
  warned.mockRestore();
});

test('a secret that lacks its quotes is not repeated', () => {
  for (const value of [
    '!word',
    '*word',
    '|word',
    '&a *word',
    ']word',
    "'a'word",
    '!<word',
    '"\\qword',
    '"\\Uword1234"',
    '!word!',
    '!<word>',
  ])
    expect(() => fileOf(`version: 1\nchannels:\n  - name: ${value}\n`)).toThrow(
      /^(?!.*word).*switchyard\.yaml:.*[a-z]{4}/,
    );
});

test('without the right to see settings they are left out, and one that a file names is refused', async () => {
  const admin = await one.createUser('admin');
  const { text, withSettings } = await exportFile((routes) => admin.api(routes));
  expect(withSettings).toBe(false);
  expect(text).not.toContain('settings:');
  const adminApi: Api = (routes) => admin.api(routes);
  expect(linesOf(await plan(adminApi, text))).toEqual([]);
  await expect(plan(adminApi, `${text}settings: {}\n`)).rejects.toMatchObject({ code: 'not-allowed' });
});
