import { ICON_MAX_BYTES, modelOwners, OWNERS_MAX } from '@switchyard/contract/catalog/model-owners';
import { models } from '@switchyard/contract/catalog/models';
import { rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { channels } from '@switchyard/contract/channels/channels';
import { providers } from '@switchyard/relay';
import { expect, test } from 'vitest';
import { channelRoutes } from '../../channels/registry/routes.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { modelRoutes } from '../models/routes.ts';
import { priceRoutes } from '../prices/routes.ts';
import { modelOwnerRoutes } from './routes.ts';

const app = await useFeatureApp([
  serveRoutes(channels, channelRoutes),
  serveRoutes(modelOwners, modelOwnerRoutes),
  serveRoutes(models, modelRoutes),
  serveRoutes(prices, priceRoutes),
]);
const admin = await app.createUser('admin');
const api = admin.api(modelOwners);
const dot =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const ownerOf = async (id: number) => (await api.list()).find((owner) => owner.id === id);

test('the owners are public; those of the product exist and are fixed', async () => {
  const owners = await app.anonymous.api(modelOwners).list();
  expect(owners.length).toBe(providers.length);
  expect(owners.find(({ id }) => id === 1)).toMatchObject({ name: 'OpenAI', icon: 'openai', built_in: true });
  const changed = api.update({ params: { id: 1 }, body: { name: 'Mine', icon: '' } });
  await expect(changed).rejects.toMatchObject({ code: 'not-found' });
  await expect(api.remove({ params: { id: 1 } })).rejects.toMatchObject({ code: 'not-found' });
});

test('a price names an added owner, models show it, and deleting it keeps the price', async () => {
  await api.create({ body: { id: 5001, name: 'Our lab', icon: dot } });
  await admin
    .api(prices)
    .create({ body: { model: 'lab-model', channel_type: 5001, rates: rates.parse({ input: 1, output: 1 }) } });
  await admin
    .api(channels)
    .create({
      body: { name: 'c', type: 8, base_url: 'http://127.0.0.1:9', key: 'sk-any-key-000000', models: ['lab-model'] },
    });
  const owned = async () => (await app.anonymous.api(models).available())['lab-model']?.owned_by;
  expect(await owned()).toBe('Our lab');
  expect(await ownerOf(5001)).toEqual({ id: 5001, name: 'Our lab', icon: dot, built_in: false, prices: 1 });
  await api.update({ params: { id: 5001 }, body: { name: 'The lab', icon: 'openai' } });
  expect(await owned()).toBe('The lab');
  await api.remove({ params: { id: 5001 } });
  expect(await owned()).toBe('');
  const kept = (await admin.api(prices).all()).find(({ model }) => model === 'lab-model');
  expect(kept?.channel_type).toBe(5001);
  const entry = await app.ctx.db.writer
    .selectFrom('audit_entry')
    .select(['action', 'detail'])
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
  expect(entry.action).toBe('model-owner.delete');
  expect(JSON.parse(entry.detail)).toEqual({ name: 'The lab', prices: 1 });
});

test('ids and names are taken once, also by vendors of the product', async () => {
  await api.create({ body: { id: 6000, name: 'First' } });
  const taken = [
    [{ id: 6000, name: 'Second' }, 'id'],
    [{ id: 6001, name: 'FIRST' }, 'name'],
    [{ id: 6001, name: 'openai' }, 'name'],
    ...providers
      .filter(({ channelType }) => channelType > 1000)
      .slice(0, 1)
      .map(({ channelType }) => [{ id: channelType, name: 'Third' }, 'id'] as const),
  ] as const;
  for (const [body, path] of taken)
    await expect(api.create({ body })).rejects.toMatchObject({ code: 'already-exists', fields: [{ path }] });
});

const base64 = (bytes: number) => Buffer.alloc(bytes).toString('base64');
const svg = (bytes: number) => `data:image/svg+xml;base64,${base64(bytes)}`;

test.each([
  ['an address', 'https://icons.example/x.png'],
  ['a path', '/api/avatar/1'],
  ['a page', 'data:text/html;base64,PGI+'],
  ['a script', 'javascript:alert(1)'],
  ['text for a style', '"),url(https://x.example'],
  ['a PNG that is none', 'data:image/png;base64,PGI+AAAA'],
  ['a picture that is too large', svg(ICON_MAX_BYTES + 3)],
])('%s is no icon', async (_what, icon) => {
  const answer = await admin.fetch('/api/model_ownedby', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: 7000, name: 'Bad', icon }),
  });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ fields: [{ path: 'icon' }] });
});

test('stores the largest image unchanged, without a copy in the audit log', async () => {
  await api.create({ body: { id: 7001, name: 'Large', icon: svg(ICON_MAX_BYTES) } });
  expect((await ownerOf(7001))?.icon).toBe(svg(ICON_MAX_BYTES));
  const other = svg(ICON_MAX_BYTES).replace('AAAA', 'BBBB');
  await api.update({ params: { id: 7001 }, body: { name: 'Large', icon: other } });
  const changed = await app.ctx.db.writer
    .selectFrom('audit_entry')
    .select('detail')
    .where('action', '=', 'model-owner.update')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
  const kind = 'data:image/svg+xml;base64';
  expect(JSON.parse(changed.detail)).toEqual({ changes: { icon: { before: kind, after: kind } } });
  const entries = await app.ctx.db.writer.selectFrom('audit_entry').select('detail').execute();
  expect(Math.max(...entries.map(({ detail }) => detail.length))).toBeLessThan(1_000);
});

test('ids up to 1000 are for vendors of the product', async () => {
  const answer = await admin.fetch('/api/model_ownedby', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: 1000, name: 'Low' }),
  });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ fields: [{ path: 'id', rule: 'too_small' }] });
});

test('there is an end to owners', async () => {
  const { length } = (await api.list()).filter((owner) => !owner.built_in);
  const additional = Array.from({ length: OWNERS_MAX - length }, (_, at) => ({
    id: 8000 + at,
    name: `Owner ${at}`,
    icon: '',
  }));
  await app.ctx.db.writer.insertInto('model_owner').values(additional).execute();
  const pending = api.create({ body: { id: 9999, name: 'One more' } });
  const message = `You have reached the limit of ${OWNERS_MAX} owners. Delete one first.`;
  await expect(pending).rejects.toMatchObject({ code: 'conflict', message });
});
