import { createServer } from 'node:http';
import { catalogue } from '@switchyard/contract/catalog/catalog-updates';
import { modelDetails } from '@switchyard/contract/catalog/model-details';
import { models } from '@switchyard/contract/catalog/models';
import { channels } from '@switchyard/contract/channels/channels';
import { afterAll, expect, test } from 'vitest';
import { listen } from '../../../../../tests/listen.ts';
import { channelRoutes } from '../../channels/registry/routes.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { catalogueRoutes } from '../catalog-updates/routes.ts';
import { modelRoutes } from '../models/routes.ts';
import { addShippedPrices } from '../prices/prices.ts';
import { modelDetailRoutes } from './routes.ts';

const app = await useFeatureApp([
  serveRoutes(catalogue, catalogueRoutes),
  serveRoutes(channels, channelRoutes),
  serveRoutes(modelDetails, modelDetailRoutes),
  serveRoutes(models, modelRoutes),
]);
await addShippedPrices(app.ctx);
const admin = await app.createUser('admin');
const api = admin.api(modelDetails);
const listApi = admin.api(catalogue);
await admin
  .api(channels)
  .create({
    body: {
      name: 'c',
      type: 8,
      base_url: 'http://127.0.0.1:9',
      key: 'sk-any-key-000000',
      models: ['gpt-4o', 'house-model', 'wild-*'],
    },
  });

let served = '';
const server = createServer((_request, response) => response.end(served));
const url = `http://127.0.0.1:${await listen(server)}/details.json`;
afterAll(() => void server.close());

const rowOf = async (model: string) => (await api.list()).find((row) => row.model === model);
const seen = async (model: string) => (await app.anonymous.api(models).available())[model];
const read = (list: unknown) => api.read({ body: { from: 'text', text: JSON.stringify(list) } });

test('lists offered, priced and known models, and no pattern', async () => {
  const rows = await api.list();
  expect(rows.length).toBeGreaterThan(500);
  expect(rows.filter(({ model }) => model.endsWith('*'))).toEqual([]);
  expect(await rowOf('house-model')).toEqual({ model: 'house-model', offered: true, listed: null, own: null });
  expect(await rowOf('gpt-4o')).toMatchObject({ offered: true, listed: { context_length: 128_000 }, own: null });
});

test('manual details take precedence field by field, until they are deleted', async () => {
  const facts = { name: 'Omni', description: 'Fast <b>', context_length: 64_000, tags: ['house', 'fast'] };
  await api.create({ body: { model: 'gpt-4o', ...facts } });
  expect(await seen('gpt-4o')).toMatchObject({ ...facts, retires: '2027-01-14', output_max: 16_384 });
  expect(await rowOf('gpt-4o')).toMatchObject({ listed: { context_length: 128_000 }, own: facts });
  await api.update({ params: { model: 'gpt-4o' }, body: { name: 'Omni 2' } });
  expect(await seen('gpt-4o')).toMatchObject({ name: 'Omni 2', context_length: 128_000 });
  await api.remove({ params: { model: 'gpt-4o' } });
  const bare = await seen('gpt-4o');
  expect(bare).toMatchObject({ context_length: 128_000 });
  expect(bare).not.toHaveProperty('name');
  const again = api.remove({ params: { model: 'gpt-4o' } });
  await expect(again).rejects.toMatchObject({ code: 'not-found' });
});

test('keeps handwritten details unchanged by lists, and lists unchanged by details', async () => {
  await api.create({ body: { model: 'gpt-4o', context_length: 32_000, retires: '2031-01-01' } });
  expect((await listApi.compare({ body: { from: 'shipped' } })).lines).toEqual([]);
  const text = JSON.stringify({ models: [{ model: 'gpt-4o', context_length: 256_000, output_max: 5_000 }] });
  const { id, lines } = await listApi.compare({ body: { from: 'text', text } });
  await listApi.apply({ params: { id }, body: { mode: 'update', lines } });
  expect(await seen('gpt-4o')).toMatchObject({ context_length: 32_000, output_max: 5_000, retires: '2031-01-01' });
  await api.remove({ params: { model: 'gpt-4o' } });
  expect(await seen('gpt-4o')).toMatchObject({ context_length: 256_000, retires: '2027-01-14' });
});

test('a model that is deprecated in lists is not deprecated if its details say so', async () => {
  const text = JSON.stringify({ models: [{ model: 'house-model', deprecated: true }] });
  const { id, lines } = await listApi.compare({ body: { from: 'text', text } });
  await listApi.apply({ params: { id }, body: { mode: 'update', lines } });
  expect(await seen('house-model')).toMatchObject({ deprecated: true });
  await api.create({ body: { model: 'house-model', deprecated: false } });
  expect(await seen('house-model')).not.toHaveProperty('deprecated');
  await api.remove({ params: { model: 'house-model' } });
});

test.each([
  ['a pattern', { model: 'gpt-*', name: 'x' }, 'model'],
  ['no name', { model: ' ', name: 'x' }, 'model'],
  ['nothing', { model: 'said-nothing' }, 'name'],
  ['a long description', { model: 'm', description: 'x'.repeat(501) }, 'description'],
  ['a tag twice', { model: 'm', tags: ['a', 'a'] }, 'tags'],
  ['too many tags', { model: 'm', tags: ['1', '2', '3', '4', '5', '6', '7'] }, 'tags'],
  ['a negative context', { model: 'm', context_length: -1 }, 'context_length'],
])('%s is refused at its field', async (_what, body, path) => {
  const answer = await admin.fetch('/api/model_info', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(400);
  const { fields } = (await answer.json()) as { fields: { path: string }[] };
  expect(fields[0]?.path).toBe(path);
});

test('a model is described once', async () => {
  await api.create({ body: { model: 'once', name: 'a' } });
  const again = api.create({ body: { model: 'once', name: 'b' } });
  await expect(again).rejects.toMatchObject({ code: 'already-exists', fields: [{ path: 'model' }] });
  expect((await rowOf('once'))?.own).toEqual({ name: 'a' });
});

test('a list is read without changing anything, and each invalid entry is reported with its position', async () => {
  await api.create({ body: { model: 'kept', name: 'Kept', tags: ['x'] } });
  await api.create({ body: { model: 'same', name: 'Same' } });
  const { entries, problems } = await read({
    models: [
      { model: 'kept', name: 'Other' },
      { model: 'same', name: 'Same' },
      { model: 'fresh', output_max: 5 },
      { model: 'fresh', output_max: 6 },
      { name: 'nobody' },
      { model: 'bad', context_length: 'many' },
      { model: 'empty' },
      7,
    ],
  });
  expect(entries).toEqual([
    { detail: { model: 'kept', name: 'Other' }, state: 'other' },
    { detail: { model: 'same', name: 'Same' }, state: 'same' },
    { detail: { model: 'fresh', output_max: 5 }, state: 'new' },
  ]);
  expect(problems.map(({ index, path }) => [index, path])).toEqual([
    [3, 'model'],
    [4, 'model'],
    [5, 'context_length'],
    [6, ''],
    [7, 'model'],
  ]);
  expect(await rowOf('fresh')).toBeUndefined();
});

test("reads the answer of One Hub's management API at an address", async () => {
  const entry = {
    id: 3,
    model: 'theirs',
    name: 'Theirs',
    description: '',
    context_length: 0,
    max_tokens: 4096,
    input_modalities: ['text', 'image'],
    output_modalities: ['text'],
    tags: [],
    support_url: [],
    created_at: 1,
  };
  served = JSON.stringify({ success: true, message: '', data: [entry] });
  const { entries } = await api.read({ body: { from: 'url', url } });
  expect(entries).toEqual([
    {
      detail: { model: 'theirs', name: 'Theirs', output_max: 4096, input: ['text', 'image'], output: ['text'] },
      state: 'new',
    },
  ]);
});

test.each([
  ['no JSON', '<html>', 'bad-json'],
  ['no list', '{"a":1}', 'unknown-list'],
  ['an empty list', '[]', 'empty-list'],
])('%s is refused', async (_what, text, rule) => {
  const pending = api.read({ body: { from: 'text', text } });
  await expect(pending).rejects.toMatchObject({ fields: [{ path: 'text', rule }] });
});

test('an address inside is not read', async () => {
  const pending = api.read({ body: { from: 'url', url: 'https://169.254.169.254/latest' } });
  await expect(pending).rejects.toMatchObject({ fields: [{ path: 'url', rule: 'address-not-allowed' }] });
});

test('an import skips or replaces models that are described already', async () => {
  const details = [
    { model: 'kept', name: 'New name' },
    { model: 'imported', name: 'Imported' },
  ];
  const skipped = await api.import({ body: { details, known: 'skip' } });
  expect(skipped).toEqual({ created: 1, overwritten: 0, skipped: 1 });
  expect((await rowOf('kept'))?.own).toEqual({ name: 'Kept', tags: ['x'] });
  const overwritten = await api.import({ body: { details, known: 'overwrite' } });
  expect(overwritten).toEqual({ created: 0, overwritten: 2, skipped: 0 });
  expect((await rowOf('kept'))?.own).toEqual({ name: 'New name' });
});

test('an import is all or nothing', async () => {
  const details = [{ model: 'half', name: 'x' }, { model: 'half-empty' }];
  const pending = api.import({ body: { details, known: 'skip' } });
  await expect(pending).rejects.toMatchObject({ code: 'invalid-input' });
  expect(await rowOf('half')).toBeUndefined();
});

test('changes are recorded in the audit log, field by field', async () => {
  await api.create({ body: { model: 'told', name: 'Before' } });
  await api.update({ params: { model: 'told' }, body: { name: 'After', output_max: 7 } });
  const entry = await app.ctx.db.writer
    .selectFrom('audit_entry')
    .select(['action', 'target', 'detail'])
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
  expect(entry).toMatchObject({ action: 'model-detail.update', target: 'model-detail:told' });
  expect(JSON.parse(entry.detail)).toEqual({
    changes: { name: { before: 'Before', after: 'After' }, output_max: { before: null, after: 7 } },
  });
});
