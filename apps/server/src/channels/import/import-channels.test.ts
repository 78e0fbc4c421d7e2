import { setImmediate } from 'node:timers/promises';
import { channelEdits, FILE_FORMAT } from '@switchyard/contract/channels/bulk-edits-and-import';
import { channels, createChannel } from '@switchyard/contract/channels/channels';
import { sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { channelEditRoutes } from '../bulk-edit/edit-and-import-routes.ts';
import { deriveKeyId } from '../registry/parse-key-lines.ts';
import { loadChannels } from '../registry/registry.ts';
import { channelRoutes } from '../registry/routes.ts';
import { exportChannels } from './export-channels.ts';

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

test('a dry run writes nothing, and a channel with the same name changes only if its row says so', async () => {
  const [channel] = await api.create({
    body: { name: 'known', type: OPENAI, models: ['a'], key: 'sk-stored-0001', priority: 9 },
  });
  const content = [
    { name: 'known', type: OPENAI, models: 'a,b' },
    { ...row, name: 'fresh' },
  ];
  const { items } = await take(content, { dry_run: true });
  expect(items).toMatchObject([
    { outcome: 'changed', changes: [{ path: 'models', before: ['a'], after: ['a', 'b'] }] },
    { outcome: 'new' },
  ]);
  expect(await all()).toHaveLength(1);
  await take(content);
  expect(await all()).toMatchObject([{ id: channel?.id, models: ['a', 'b'], priority: 9 }, { name: 'fresh' }]);
  expect((await loaded('known'))?.target.credentials['key']).toBe('sk-stored-0001');
  expect((await take(content, { known: 'skip' })).items.map(({ outcome }) => outcome)).toEqual(['skipped', 'skipped']);
});

test('several keys make several channels; an unknown group and a missing key are refused with their field', async () => {
  const { items } = await take([
    { ...row, name: 'lines', key: 'sk-1-aaaa\nsk-2-bbbb' },
    { ...row, name: 'grouped', group: 'nobody' },
    { ...row, name: 'keyless', key: '' },
    'no row',
  ]);
  expect(items.map(({ outcome, refusals }) => [outcome, refusals[0]?.path])).toEqual([
    ['new', undefined],
    ['refused', 'group'],
    ['refused', 'key'],
    ['refused', 'name'],
  ]);
  expect((await all()).map(({ name }) => name)).toEqual(['lines', 'lines_2']);
});

describe('an import of an own file', () => {
  const ownRow = { type: OPENAI, models: ['a', 'b'], weight: 7 };
  const importRow = async (name: string, changes: object) =>
    (await take({ format: FILE_FORMAT, channels: [{ ...ownRow, name, ...changes }] })).items[0];
  const nestedErrors: readonly [change: object, path: string][] = [
    [{ caps: { day: 1_000, month: null, Day: 1 } }, 'caps.Day'],
    [{ caps: { day: 1_000, month: null, daily: 1 } }, 'caps.daily'],
    [{ cost: { ratoi: 2 } }, 'cost.ratoi'],
    [{ cost: { models: { a: { input: 1, output: 1, inptu: 1 } } } }, 'cost.models.a.inptu'],
    [{ deadlines: { totl: 5 } }, 'deadlines.totl'],
    [{ request_changes: { steaming: 'never' } }, 'request_changes.steaming'],
    [{ caps: { day: 0, month: null } }, 'caps.day'],
  ];

  test.each(nestedErrors)('refuses %j for a new and for a known channel', async (change, path) => {
    await api.create({ body: { name: 'known', type: OPENAI, models: ['a'], key: 'sk-stored-0001' } });
    for (const name of ['fresh', 'known'])
      expect(await importRow(name, { key: 'sk-import-secret-0001', ...change })).toMatchObject({
        outcome: 'refused',
        refusals: [{ path }],
      });
    expect(await all()).toMatchObject([{ name: 'known', models: ['a'], weight: 1 }]);
  });

  test.each([
    [{ day: 1_000 }, 'caps.month'],
    [{ month: 1_000 }, 'caps.day'],
    [{}, 'caps.day'],
  ])('refuses a row for a known channel that has only the caps %j', async (caps, path) => {
    await api.create({ body: { name: 'known', type: OPENAI, models: ['a'], key: 'sk-stored-0001' } });
    const item = await importRow('known', { caps });
    expect(item).toMatchObject({ outcome: 'refused', changes: [] });
    expect(item?.refusals.map((refusal) => refusal.path)).toContain(path);
    expect(await importRow('fresh', { caps, key: 'sk-import-secret-0001' })).toMatchObject({ outcome: 'new' });
  });

  test('applies limits with correct names', async () => {
    await api.create({ body: { name: 'known', type: OPENAI, models: ['a'], key: 'sk-stored-0001' } });
    const limits = { caps: { day: 1_000, month: null }, deadlines: { total: 5 } };
    expect(await importRow('known', limits)).toMatchObject({ outcome: 'changed', refusals: [] });
    expect(await all()).toMatchObject([{ weight: 7, models: ['a', 'b'], ...limits }]);
  });
});

test('no stored key follows an imported address', async () => {
  await api.create({ body: { name: 'stays', type: OPENAI, models: ['a'], key: 'sk-stored-0001' } });
  const { items } = await take([{ name: 'stays', type: OPENAI, models: 'a', base_url: 'http://127.0.0.1:1' }]);
  expect(items).toMatchObject([{ outcome: 'refused', refusals: [{ path: 'key', rule: 'needed-again' }] }]);
  expect(await all()).toMatchObject([{ base_url: '' }]);
});

test('an export can be imported unchanged; only root can include secrets, after a confirmation', async () => {
  const secrets = {
    key: 'sk-canary-000001',
    model_headers: { 'x-a': 'canary-header-0001' },
    proxy: 'http://u:canary@127.0.0.1:9',
  };
  await api.create({ body: { name: 'carried', type: OPENAI, models: ['a'], tag: 't', ...secrets } });
  const where = { filter: {} };
  const plain = await edits.export({ body: { where } });
  expect(JSON.stringify(plain)).not.toContain('canary');
  expect((await take(wire(plain))).items).toMatchObject([{ outcome: 'same', left_out: [] }]);
  await expect(edits.exportWithSecrets({ body: { where } })).rejects.toMatchObject({ code: 'not-allowed' });

  const root = await app.createUser('root');
  const full = await root.api(channelEdits).exportWithSecrets({ body: { where } });
  expect(full.channels).toMatchObject([secrets]);
  const entries = await app.ctx.db.writer.selectFrom('audit_entry').select(['action', 'detail']).execute();
  expect(entries.map(({ action }) => action)).toContain('channel.export-secrets');
  expect(JSON.stringify(entries)).not.toContain('canary');

  await app.ctx.db.writer.deleteFrom('channel').execute();
  expect((await take(wire(full))).items).toMatchObject([{ outcome: 'new' }]);
  expect(await loaded('carried')).toMatchObject({
    proxy: secrets.proxy,
    target: { credentials: { key: secrets.key }, headers: secrets.model_headers },
  });
  expect(channelEdits.exportWithSecrets).toMatchObject({ access: 'root', stepUp: true });
});

test('rejects a text that is not a list of channels, and a deeply nested or polluting one does no harm', async () => {
  for (const content of ['text', 7, null, [], {}, { data: { items: [] } }])
    await expect(take(content)).rejects.toMatchObject({ fields: [{ path: 'content' }] });
  const polluted = JSON.parse(`[{"name":"p","type":1,"models":"a","key":"k","__proto__":{"admin":true}}]`);
  await take(polluted);
  expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false);
  let deep: unknown = 1;
  for (let at = 0; at < 500; at++) deep = [deep];
  await expect(take([{ ...row, other: deep }])).rejects.toMatchObject({ code: 'invalid-input' });
});

test('rejects a large body before reading it if the caller may not import', async () => {
  const user = await app.createUser('user');
  await expect(user.api(channelEdits).import({ body: { content: 'x'.repeat(2_000_000) } })).rejects.toMatchObject({
    code: 'not-allowed',
  });
  const many = Array.from({ length: 3_000 }, (_, at) => ({
    ...row,
    name: `big-${at}`,
    models: `m-${'x'.repeat(100)}`,
  }));
  const { items } = await take(many, { dry_run: true });
  expect(items).toHaveLength(3_000);
});

/** As a file has it, with numbers for statuses. */
function wire(file: Awaited<ReturnType<typeof edits.export>>): unknown {
  return { ...file, channels: file.channels.map((channel) => ({ ...channel, status: 1 })) };
}

test('a channel with several keys is imported as one', async () => {
  const key = 'sk-import-secret-0001\nsk-import-secret-0002';
  const body = createChannel.parse({ name: 'several', type: OPENAI, models: ['gpt-4o'], key, keys_as: 'one-channel' });
  await api.create({ body });
  const file = await exportChannels(app.ctx, {}, true);
  await app.ctx.db.writer.deleteFrom('channel').execute();
  expect((await take(wire(file))).items).toMatchObject([{ outcome: 'new', refusals: [] }]);
  expect(await all()).toMatchObject([{ name: 'several', key_count: 2 }]);
  expect((await take(wire(file))).items).toMatchObject([{ outcome: 'same' }]);
});

test('a file that names a channel twice cannot send its key to another address', async () => {
  const body = createChannel.parse({
    name: 'twice',
    type: 8,
    base_url: 'https://93.184.215.14',
    models: ['m'],
    key: 'sk-stored-0001',
  });
  await api.create({ body });
  const form = { name: 'twice', type: 8, models: ['m'], group: ['default'] };
  const { items } = await take(
    [
      { ...form, base_url: 'https://93.184.215.15', key: 'sk-mine-0002' },
      { ...form, base_url: 'https://93.184.215.14', model_headers: { 'x-a': 'b' } },
    ],
    { source: 'switchyard' },
  );
  expect(items.map(({ outcome }) => outcome)).toEqual(['changed', 'refused']);
  const { target } = (await loaded('twice')) ?? {};
  expect([target?.baseUrl, target?.credentials['key']]).toEqual(['https://93.184.215.15', 'sk-mine-0002']);
});

test('a key that is imported again is enabled again', async () => {
  const keys = ['sk-back-secret-0001', 'sk-back-secret-0002'];
  const body = createChannel.parse({
    name: 'back',
    type: OPENAI,
    models: ['m'],
    key: keys.join('\n'),
    keys_as: 'one-channel',
  });
  const [made] = await api.create({ body });
  const id = made?.id ?? 0;
  await app.ctx.db.writer
    .insertInto('channel_key_state')
    .values({
      channel_id: id,
      key_id: deriveKeyId(app.ctx.vault, id, keys[1] ?? ''),
      status: 'disabled',
      reason: '',
      since: 1,
    })
    .execute();
  await take([{ name: 'back', type: OPENAI, models: ['m'], group: ['default'], key: keys[1] }], {
    source: 'switchyard',
  });
  expect(await all()).toMatchObject([{ key_count: 1, keys_out: 0 }]);
  expect((await loaded('back'))?.keys).toHaveLength(1);
});

const many = (count: number, name: string) =>
  Array.from({ length: count }, (_, nth) => ({ ...row, name: `${name}-${nth}`, key: `sk-of-many-${nth}` }));
const countOf = async (name: string): Promise<number> => {
  const { count } = await app.ctx.db.writer
    .selectFrom('channel')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('name', 'like', `${name}-%`)
    .executeTakeFirstOrThrow();
  return count;
};

test('while thousands are written, others get at the writer in between', async () => {
  const seen = new Set<number>();
  const done = take(many(550, 'turn')).then(() => true);
  while (!(await Promise.race([done, setImmediate(false)]))) seen.add(await countOf('turn'));
  expect([...seen].filter((count) => count > 0 && count < 550).length).toBeGreaterThan(2);
  expect(await countOf('turn')).toBe(550);
});

test('when storage fails during an import, the response names the missing channels, and they can be imported again', async () => {
  // The second of these two is refused.
  await sql`create unique index half on channel (provider) where name in ('half-249', 'half-250')`.execute(
    app.ctx.db.writer,
  );
  const { items } = await take(many(300, 'half'));
  await sql`drop index half`.execute(app.ctx.db.writer);
  expect(items.map(({ outcome }) => outcome)).toEqual([
    ...Array.from({ length: 200 }, () => 'new'),
    ...Array.from({ length: 100 }, () => 'refused'),
  ]);
  expect(items[200]?.refusals).toMatchObject([{ rule: 'not-written' }]);
  expect(await countOf('half')).toBe(200);
  await take(many(300, 'half'));
  expect(await countOf('half')).toBe(300);
});
