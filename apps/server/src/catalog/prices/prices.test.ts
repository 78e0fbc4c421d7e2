import { rates as ratesSchema } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { expect, test } from 'vitest';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { addShippedPrices, readShippedPrices } from './prices.ts';
import { priceRoutes } from './routes.ts';

const app = await useFeatureApp([serveRoutes(prices, priceRoutes)]);
await addShippedPrices(app.ctx);
const admin = await app.createUser('admin');
const api = admin.api(prices);

const rates = (input: number, output: number) => ratesSchema.parse({ input, output });

test('a fresh installation has the shipped list, unlocked', async () => {
  const listed = await app.anonymous.api(prices).all();
  expect(listed.length).toBe(readShippedPrices().length);
  expect(listed.length).toBeGreaterThan(3);
  expect(listed.some((price) => price.locked)).toBe(false);
});

test('returns the ratios of existing clients: 1 is one point for a token', async () => {
  const tokens = await api.create({ body: { model: 'by/token', rates: rates(1_250_000_000, 5_000_000_000) } });
  expect(tokens).toMatchObject({ input: 1.25, output: 5, locked: true, type: 'tokens' });
  const times = await api.create({ body: { model: 'by-call', type: 'times', rates: rates(2_000_000_000_000, 0) } });
  expect(times).toMatchObject({ input: 2, output: 0 });
});

test('a change that is based on an earlier version does not overwrite a later change', async () => {
  const looked = await api.create({ body: { model: 'two-editors', rates: rates(1, 1) } });
  const params = { model: 'two-editors' };
  await api.update({ params, body: { ...params, rates: rates(2, 2), version: looked.version } });
  await expect(
    api.update({ params, body: { ...params, rates: looked.rates, locked: false, version: looked.version } }),
  ).rejects.toMatchObject({ code: 'conflict' });
  const [now, ...older] = await api.versions({ params });
  expect([now?.rates.input, older.length]).toEqual([2, 1]);
  await api.remove({ params });
});

test('a model has one price; a name with a slash can be changed, renamed and deleted', async () => {
  const body = { model: 'by/token', rates: rates(1, 1) };
  await expect(api.create({ body })).rejects.toMatchObject({ code: 'already-exists' });
  const taken = api.update({ params: { model: 'by/token' }, body: { ...body, model: 'by-call' } });
  await expect(taken).rejects.toMatchObject({ code: 'already-exists' });
  const renamed = await api.update({ params: { model: 'by/token' }, body: { ...body, model: 'by/token*' } });
  expect(renamed.model).toBe('by/token*');
  await api.remove({ params: { model: 'by/token*' } });
  await expect(api.remove({ params: { model: 'by/token*' } })).rejects.toMatchObject({ code: 'not-found' });
});

test('the longest name that can be is still found in a path', async () => {
  const model = '模'.repeat(128);
  await api.create({ body: { model, rates: rates(1, 1) } });
  expect(await api.remove({ params: { model } })).toBeNull();
});

test('a sync adds missing prices and leaves locked ones unchanged', async () => {
  const [missing, changed, locked] = readShippedPrices();
  if (missing === undefined || changed === undefined || locked === undefined)
    throw new Error('The shipped list is too short');
  await api.remove({ params: { model: missing.model } });
  for (const { model, isLocked } of [
    { model: changed.model, isLocked: false },
    { model: locked.model, isLocked: true },
  ])
    await api.update({ params: { model }, body: { model, rates: rates(7, 7), locked: isLocked } });
  expect(await api.sync({ query: { updateMode: 'add' } })).toEqual({ added: 1, changed: 0 });
  expect(await api.sync({ query: { updateMode: 'update' } })).toEqual({ added: 0, changed: 1 });
  const after = new Map((await api.all()).map((price) => [price.model, price.rates.input]));
  expect(after.get(changed.model)).toBe(changed.rates.input);
  expect(after.get(locked.model)).toBe(7);
});

test('lists by part of the name, page by page, and deletes several', async () => {
  for (const model of ['list-a', 'list-b', 'list-c']) await api.create({ body: { model, rates: rates(1, 1) } });
  const page = await api.list({ query: { keyword: 'LIST-', size: 2, order: '-model' } });
  expect(page.data.map((price) => price.model)).toEqual(['list-c', 'list-b']);
  expect(page.total_count).toBe(3);
  expect(await api.removeMany({ body: { models: ['list-a', 'list-b', 'none'] } })).toBe(2);
});

test('gives several models one price, adds new models and removes missing ones', async () => {
  await api.create({ body: { model: 'shared-a', rates: rates(1, 1) } });
  await api.create({ body: { model: 'shared-b', rates: rates(2, 2) } });
  const counts = await api.saveGroup({
    body: {
      models: ['shared-a', 'shared-c*'],
      original_models: ['shared-a', 'shared-b'],
      rates: rates(5, 6),
      type: 'tokens',
    },
  });
  expect(counts).toEqual({ saved: 2, removed: 1 });
  const { data } = await api.list({ query: { keyword: 'shared-', order: 'model' } });
  expect(data.map(({ model, rates: { input, output } }) => [model, input, output])).toEqual([
    ['shared-a', 5, 6],
    ['shared-c*', 5, 6],
  ]);
  expect(await api.versions({ params: { model: 'shared-b' } })).toHaveLength(1);
});

test('a deletion with an outdated version deletes nothing', async () => {
  const [one, other] = [
    await api.create({ body: { model: 'seen', rates: rates(1, 1) } }),
    await api.create({ body: { model: 'seen-too', rates: rates(1, 1) } }),
  ];
  const models = [one.model, other.model];
  const removeSeen = (versions: Record<string, number>) => api.removeMany({ body: { models, versions } });
  const changed = await api.update({ params: { model: 'seen' }, body: { model: 'seen', rates: rates(2, 2) } });
  await expect(removeSeen({ [one.model]: one.version, [other.model]: other.version })).rejects.toMatchObject({
    code: 'conflict',
    fields: [{ rule: 'changed-meanwhile' }],
  });
  expect((await api.list({ query: { keyword: 'seen' } })).total_count).toBe(2);
  expect(await removeSeen({ [one.model]: changed.version, [other.model]: other.version })).toBe(2);
});

test('a price group with an outdated version changes nothing', async () => {
  const one = await api.create({ body: { model: 'looked-at', rates: rates(1, 1) } });
  const other = await api.create({ body: { model: 'looked-at-too', rates: rates(1, 1) } });
  const models = [one.model, other.model];
  const versions = { [one.model]: one.version, [other.model]: other.version };
  const body = { models, original_models: models, versions, rates: rates(5, 5) };
  await api.update({ params: { model: other.model }, body: { model: other.model, rates: rates(2, 2) } });
  await expect(api.saveGroup({ body })).rejects.toMatchObject({
    code: 'conflict',
    fields: [{ rule: 'changed-meanwhile' }],
  });
  const { data } = await api.list({ query: { keyword: 'looked-at', order: 'model' } });
  expect(data.map((price) => price.rates.input)).toEqual([1, 2]);
  await api.remove({ params: { model: other.model } });
  await expect(api.saveGroup({ body })).rejects.toMatchObject({ code: 'conflict' });
});

test('no group takes the price of a model that was not in it, and then nothing changes', async () => {
  await api.create({ body: { model: 'own-price', rates: rates(9, 9) } });
  await api.create({ body: { model: 'in-group', rates: rates(1, 1) } });
  const body = { original_models: ['in-group'], rates: rates(5, 5) };
  const taken = api.saveGroup({ body: { ...body, models: ['own-price', 'fresh'] } });
  await expect(taken).rejects.toMatchObject({ code: 'already-exists' });
  const left = await api.list({ query: { keyword: 'own-price' } });
  expect(left.data[0]?.rates.input).toBe(9);
  expect((await api.list({ query: { keyword: 'in-group' } })).total_count).toBe(1);
  expect((await api.list({ query: { keyword: 'fresh' } })).total_count).toBe(0);
  for (const models of [['twice', 'twice'], ['*'], []]) {
    const answer = await admin.fetch('/api/prices/multiple', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, models }),
    });
    expect(answer.status).toBe(400);
  }
});

test('each save creates a version, which neither a change nor a deletion removes', async () => {
  const model = 'versioned';
  const tiers = [
    { above: 200, rates: rates(4, 4) },
    { above: 100, rates: rates(2, 2) },
  ];
  const first = await api.create({ body: { model, rates: rates(1, 1), tiers, image_rates: { '1024x1024/hd': 9 } } });
  expect(first.tiers.map(({ above }) => above)).toEqual([100, 200]);
  const second = await api.update({ params: { model }, body: { model, rates: rates(3, 3) } });
  expect(second.version).toBeGreaterThan(first.version);
  await api.remove({ params: { model } });
  const versions = await api.versions({ params: { model } });
  expect(versions.map(({ version }) => version)).toEqual([second.version, first.version]);
  expect(versions[1]).toMatchObject({ rates: rates(1, 1), image_rates: { '1024x1024/hd': 9 } });
  const change = app.ctx.db.writer.updateTable('price_version').set({ rates: '{}' }).execute();
  await expect(change).rejects.toThrow('append-only');
  await expect(app.ctx.db.writer.deleteFrom('price_version').execute()).rejects.toThrow('append-only');
});

test('two tiers cannot begin at the same size', async () => {
  const tier = { above: 100, rates: rates(1, 1) };
  const answer = await admin.fetch('/api/prices/single', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'twice', rates: rates(1, 1), tiers: [tier, tier] }),
  });
  expect(answer.status).toBe(400);
});
