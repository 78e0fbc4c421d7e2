import { catalogue } from '@switchyard/contract/catalog/catalog-updates';
import { rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { channels } from '@switchyard/contract/channels/channels';
import type { ChannelId } from '@switchyard/contract/ids';
import { afterEach, expect, test } from 'vitest';
import { channelRoutes } from '../../channels/registry/routes.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { addShippedPrices } from '../prices/prices.ts';
import { priceRoutes } from '../prices/routes.ts';
import { catalogueRoutes } from './routes.ts';

const app = await useFeatureApp([
  serveRoutes(catalogue, catalogueRoutes),
  serveRoutes(channels, channelRoutes),
  serveRoutes(prices, priceRoutes),
]);
await addShippedPrices(app.ctx);
const admin = await app.createUser('admin');
const api = admin.api(catalogue);
const channelApi = admin.api(channels);

const day = (days: number): string =>
  new Date((nowSeconds(app.ctx.clock) + days * 86_400) * 1000).toISOString().slice(0, 10);

async function offer(models: string[], more: { model_mapping?: Record<string, string> } = {}): Promise<ChannelId> {
  const form = { type: 8, base_url: 'http://127.0.0.1:9', key: 'sk-any-key-000000', group: ['default'] };
  const [created] = await channelApi.create({ body: { ...form, name: 'offer', models, ...more } });
  if (created === undefined) throw new Error('No channel was created');
  return created.id;
}

/** Approves a list's data of models. */
async function know(...facts: { model: string; retires: string; successor?: string }[]): Promise<void> {
  const text = JSON.stringify({ models: facts });
  const { id, lines } = await api.compare({ body: { from: 'text', text } });
  await api.apply({ params: { id }, body: { mode: 'update', lines } });
}

const retiring = async () => (await api.notices()).retiring;
const unpriced = async () => (await api.notices()).unpriced;

afterEach(async () => {
  const { data } = await channelApi.list({ query: { size: 100 } });
  await channelApi.removeMany({ body: { ids: data.map(({ id }) => id) } });
});

test('a model without a price gets the suggested one in one call; one of which nothing is known stays', async () => {
  await offer(['host/gpt-4o-2024-11-20', 'nobody-knows', 'gpt-4o']);
  const listed = await unpriced();
  expect(listed.map(({ model }) => model)).toEqual(['host/gpt-4o-2024-11-20', 'nobody-knows']);
  expect(listed[0]?.suggested?.input).toBeGreaterThan(0);
  expect(listed[1]?.suggested).toBeNull();
  expect(await api.adopt({ body: { models: listed.map(({ model }) => model) } })).toEqual({ added: 1 });
  expect((await unpriced()).map(({ model }) => model)).toEqual(['nobody-knows']);
  const stored = (await admin.api(prices).all()).find(({ model }) => model === 'host/gpt-4o-2024-11-20');
  expect(stored?.rates.input).toBe(listed[0]?.suggested?.input);
});

test('removes a model without a price from every channel, and disables a channel without other models', async () => {
  const [both, alone] = [await offer(['nobody-knows', 'gpt-4o']), await offer(['nobody-knows'])];
  const body = { models: ['nobody-knows'], as: 'offered' as const };
  expect(await api.withdraw({ body })).toEqual({ channels: 2 });
  expect(await unpriced()).toEqual([]);
  expect(await channelApi.get({ params: { id: both } })).toMatchObject({ models: ['gpt-4o'], status: 'enabled' });
  expect(await channelApi.get({ params: { id: alone } })).toMatchObject({
    models: ['nobody-knows'],
    status: 'disabled',
  });
});

test('warns of models that are retired, or within 30 days, as vendors are asked for them', async () => {
  await know(
    { model: 'left-long-ago', retires: day(-40), successor: 'its-heir' },
    { model: 'leaves-soon', retires: day(29) },
    { model: 'leaves-later', retires: day(31) },
  );
  await offer(['left-long-ago', 'leaves-later', 'alias'], { model_mapping: { alias: '+leaves-soon' } });
  await admin.api(prices).create({ body: { model: 'its-heir', rates: rates.parse({ input: 3, output: 4 }) } });
  expect(await retiring()).toEqual([
    { model: 'leaves-soon', retires: day(29), retired: false, successor: null, price: null, successor_price: null },
    {
      model: 'left-long-ago',
      retires: day(-40),
      retired: true,
      successor: 'its-heir',
      price: null,
      successor_price: { type: 'tokens', input: 3, output: 4 },
    },
  ]);
});

test('a retired model is mapped to its successor, also under the names that led to it', async () => {
  const id = await offer(['left-long-ago', 'alias', 'gpt-4o'], { model_mapping: { alias: '+left-long-ago' } });
  const other = await offer(['gpt-4o']);
  expect(await api.replace({ body: { model: 'left-long-ago', by: 'its-heir' } })).toEqual({ channels: 1 });
  expect(await retiring()).toEqual([]);
  expect((await channelApi.get({ params: { id } })).model_mapping).toEqual({
    'left-long-ago': 'its-heir',
    alias: '+its-heir',
  });
  expect((await channelApi.get({ params: { id: other } })).model_mapping).toEqual({});
});

test('removes a retired model with the names mapped to it, but not one that is mapped elsewhere', async () => {
  const id = await offer(['left-long-ago', 'alias', 'gpt-4o'], { model_mapping: { alias: 'left-long-ago' } });
  const mapped = await offer(['left-long-ago'], { model_mapping: { 'left-long-ago': 'gpt-4o' } });
  const body = { models: ['left-long-ago'], as: 'upstream' as const };
  expect(await api.withdraw({ body })).toEqual({ channels: 1 });
  expect((await channelApi.get({ params: { id } })).models).toEqual(['gpt-4o']);
  expect((await channelApi.get({ params: { id: mapped } })).models).toEqual(['left-long-ago']);
});

test('the audit log contains the changed channels and the changes', async () => {
  const id = await offer(['left-long-ago']);
  await api.replace({ body: { model: 'left-long-ago', by: 'its-heir' } });
  const entry = await app.ctx.db.writer
    .selectFrom('audit_entry')
    .select(['action', 'detail'])
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
  expect(entry.action).toBe('catalogue.replace');
  expect(JSON.parse(entry.detail)).toEqual({ model: 'left-long-ago', by: 'its-heir', ids: [id] });
});
