import { BULK_EDIT_MAX, channelEdits } from '@switchyard/contract/channels/bulk-edits-and-import';
import { channels } from '@switchyard/contract/channels/channels';
import { expect, test } from 'vitest';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { loadChannels } from '../registry/registry.ts';
import { channelRoutes } from '../registry/routes.ts';
import { channelEditRoutes } from './edit-and-import-routes.ts';

const OPENAI = 1;
const app = await useFeatureApp([serveRoutes(channelEdits, channelEditRoutes), serveRoutes(channels, channelRoutes)]);
const admin = await app.createUser('admin');
const api = admin.api(channels);
const edits = admin.api(channelEdits);

const create = async (changes: Partial<Parameters<typeof api.create>[0]['body']> = {}) => {
  const form = { name: 'edited', type: OPENAI, models: ['gpt-4o'], key: 'sk-edit-secret-0001' };
  const [channel] = await api.create({ body: { ...form, ...changes } });
  if (channel === undefined) throw new Error('No channel was created');
  return channel;
};
const get = (id: Awaited<ReturnType<typeof create>>['id']) => api.get({ params: { id } });

test('a dry run reports the changes without making them; then the same changes are made', async () => {
  const [one, two] = [await create({ tag: 'dry', models: ['a', 'b'] }), await create({ tag: 'dry' })];
  const edit = { where: { filter: { tag: 'dry' } }, change: { models: { add: ['c'], remove: ['a'] }, priority: 7 } };
  expect(await edits.edit({ body: { ...edit, dry_run: true } })).toMatchObject({ matched: 2, changed: 2 });
  expect(await get(one.id)).toMatchObject({ models: ['a', 'b'], priority: 0 });
  expect(await edits.edit({ body: edit })).toMatchObject({ matched: 2, changed: 2, refused_count: 0 });
  expect(await get(one.id)).toMatchObject({ models: ['b', 'c'], priority: 7 });
  expect(await get(two.id)).toMatchObject({ models: ['gpt-4o', 'c'], priority: 7 });
  expect(await edits.edit({ body: edit })).toMatchObject({ matched: 2, changed: 0 });
});

test('refused changes leave their channels unchanged, with the reason; the others change', async () => {
  const [only, both] = [await create({ models: ['gone'] }), await create({ models: ['gone', 'kept'] })];
  const body = { where: { ids: [only.id, both.id] }, change: { models: { remove: ['gone'] } } };
  expect(await edits.edit({ body })).toMatchObject({
    changed: 1,
    refused: [{ id: only.id, path: 'models', rule: 'too_small' }],
  });
  expect((await get(only.id)).models).toEqual(['gone']);
  expect((await get(both.id)).models).toEqual(['kept']);
});

test('entries of mappings and headers are set and removed one by one; unchanged secrets stay', async () => {
  const channel = await create({
    model_mapping: { a: 'b', c: 'd' },
    model_headers: { 'X-Team': 'first-header-value', 'x-other': 'second-header-value' },
  });
  const change = {
    model_mapping: { set: { 'gpt-*': 'v/gpt-*' }, remove: ['a'] },
    model_headers: { set: { 'x-new': 'third-header-value' }, remove: ['x-team'] },
    deadlines: { idle: 7 },
    cost: { ratio: 0.5 },
  };
  await edits.edit({ body: { where: { ids: [channel.id] }, change } });
  expect(await get(channel.id)).toMatchObject({
    model_mapping: { c: 'd', 'gpt-*': 'v/gpt-*' },
    deadlines: { idle: 7, total: null },
    cost: { ratio: 0.5 },
  });
  const loaded = (await loadChannels(app.ctx)).find(({ id }) => id === channel.id);
  expect(loaded?.target.headers).toEqual({ 'x-other': 'second-header-value', 'x-new': 'third-header-value' });
  expect(loaded?.target.credentials['key']).toBe('sk-edit-secret-0001');
});

test('no stored key follows a change of the address, the vendor or the proxy', async () => {
  const { id } = await create({ name: 'staying' });
  for (const change of [{ base_url: 'http://127.0.0.1:1' }, { type: 28 }, { proxy: 'http://127.0.0.1:2' }]) {
    expect(await edits.edit({ body: { where: { ids: [id] }, change } })).toMatchObject({
      changed: 0,
      refused: [{ id, path: 'key', rule: 'needed-again' }],
    });
  }
  expect(await get(id)).toMatchObject({ base_url: '', proxy: '', type: OPENAI });
});

test('a change of the status alone returns the previous statuses, is recorded in the histories, and can be undone', async () => {
  const [on, off] = [await create(), await create()];
  await api.update({ body: { id: off.id, status: 'disabled' } });
  const ids = [on.id, off.id];
  const { before } = await edits.edit({ body: { where: { ids }, change: { status: 'disabled' } } });
  expect(before).toEqual([{ id: on.id, status: 'enabled', priority: 0 }]);
  await edits.edit({ body: { where: { ids: before.map(({ id }) => id) }, change: { status: 'enabled' } } });
  expect([(await get(on.id)).status, (await get(off.id)).status]).toEqual(['enabled', 'disabled']);
  const { events } = await api.health({ params: { id: on.id } });
  expect(events.map(({ event }) => event)).toEqual(['enabled', 'disabled']);
  const taken = edits.edit({ body: { where: { ids }, change: { status: 'auto-disabled' } } });
  expect(await taken).toMatchObject({ changed: 0, refused_count: 2 });
});

test('sets a priority for each selected channel, leaves others unchanged, and returns the undo', async () => {
  const [one, two, three] = [await create({ priority: 5 }), await create({ priority: 6 }), await create()];
  const where = { ids: [one.id, two.id, three.id] };
  const priorities = { [one.id]: 70, [two.id]: 80 };
  const { before, changed } = await edits.edit({ body: { where, change: { priorities } } });
  expect(changed).toBe(2);
  expect(before.map(({ id, priority }) => [id, priority])).toEqual([
    [one.id, 5],
    [two.id, 6],
  ]);
  expect((await edits.ranks()).filter(({ priority }) => priority === 70 || priority === 80)).toEqual([
    { priority: 80, ids: [two.id] },
    { priority: 70, ids: [one.id] },
  ]);
  const back = Object.fromEntries(before.map(({ id, priority }) => [id, priority]));
  await edits.edit({ body: { where, change: { priorities: back } } });
  expect([(await get(one.id)).priority, (await get(two.id)).priority]).toEqual([5, 6]);
  const wrong = edits.edit({ body: { where, change: { priorities: { [one.id]: -1 } } } });
  await expect(wrong).rejects.toThrow('Too small');
  const each = Object.fromEntries(Array.from({ length: BULK_EDIT_MAX + 1 }, (_, n) => [n + 1, 1]));
  const tooMany = edits.edit({ body: { where, change: { priorities: each } } });
  await expect(tooMany).rejects.toThrow(`At most ${BULK_EDIT_MAX} fields`);
});

test('writes one audit log entry with the change and its channels, without secrets', async () => {
  const channel = await create();
  const change = { model_headers: { set: { 'x-secret': 'canary-header-value' } }, tag: 'audited' };
  await edits.edit({ body: { where: { ids: [channel.id] }, change } });
  const rows = await app.ctx.db.writer
    .selectFrom('audit_entry')
    .selectAll()
    .where('action', '=', 'channel.edit')
    .orderBy('id', 'desc')
    .limit(1)
    .execute();
  expect(JSON.parse(rows[0]?.detail ?? '{}')).toMatchObject({
    change: { tag: 'audited', model_headers: { set: ['x-secret'] } },
    changed: [channel.id],
  });
  expect(JSON.stringify(rows)).not.toContain('canary');
});

test('tags are counted by status', async () => {
  const one = await create({ tag: 'counted' });
  await create({ tag: 'counted' });
  await api.update({ body: { id: one.id, status: 'disabled' } });
  expect(await edits.tags()).toContainEqual({ tag: 'counted', channels: 2, enabled: 1, disabled: 1, auto_disabled: 0 });
});

test('either ids or a filter are named, and an unknown group is refused for each', async () => {
  const { id } = await create();
  await expect(edits.edit({ body: { where: {}, change: { tag: 'x' } } })).rejects.toThrow();
  const both = { ids: [id], filter: {} };
  await expect(edits.edit({ body: { where: both, change: { tag: 'x' } } })).rejects.toThrow();
  const change = { group: { add: ['no-such-group'] } };
  expect(await edits.edit({ body: { where: { ids: [id] }, change } })).toMatchObject({
    refused: [{ path: 'group', rule: 'unknown-group' }],
  });
});
