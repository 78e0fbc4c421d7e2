import { userGroups } from '@switchyard/contract/accounts/user-groups';
import { models } from '@switchyard/contract/catalog/models';
import { prices } from '@switchyard/contract/catalog/prices';
import { channels } from '@switchyard/contract/channels/channels';
import { expect, test } from 'vitest';
import { userGroupRoutes } from '../../accounts/user-groups/routes.ts';
import { channelRoutes } from '../../channels/registry/routes.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { addShippedPrices } from '../prices/prices.ts';
import { priceRoutes } from '../prices/routes.ts';
import { modelRoutes } from './routes.ts';

const app = await useFeatureApp([
  serveRoutes(channels, channelRoutes),
  serveRoutes(models, modelRoutes),
  serveRoutes(prices, priceRoutes),
  serveRoutes(userGroups, userGroupRoutes),
]);
await addShippedPrices(app.ctx);
const admin = await app.createUser('admin');
const form = { type: 8, base_url: 'http://127.0.0.1:9', key: 'sk-any-key-000000' };
const [open] = await admin
  .api(channels)
  .create({ body: { ...form, name: 'open', models: ['gpt-4o', 'unpriced-model', 'wild-*'], group: ['default'] } });
await admin.api(channels).create({ body: { ...form, name: 'vip', models: ['gpt-4o', 'vip-model'], group: ['vip'] } });

test('shows models of public groups to anyone, and those of the own group to members', async () => {
  const seen = await app.anonymous.api(models).available();
  expect(Object.keys(seen)).toEqual(['gpt-4o', 'unpriced-model']);
  expect(seen['gpt-4o']).toMatchObject({ groups: ['default'], owned_by: 'OpenAI' });
  expect(seen['gpt-4o']).toMatchObject({
    context_length: 128_000,
    input: ['text', 'image', 'file'],
    capabilities: ['tools', 'json-schema'],
    retires: '2027-01-14',
  });
  expect(seen['gpt-4o']).not.toHaveProperty('model');
  expect(Object.keys(seen['unpriced-model'] ?? {}).toSorted()).toEqual(['groups', 'owned_by', 'price']);
  const member = await app.createUser('user', { group: 'vip' });
  const more = await member.api(models).available();
  expect(more['gpt-4o']?.groups).toEqual(['default', 'vip']);
  expect(Object.keys(more)).toContain('vip-model');
});

test('names the models of the own group only, without patterns', async () => {
  const member = await app.createUser('user', { group: 'vip' });
  expect(await member.api(models).own()).toEqual(['gpt-4o', 'vip-model']);
  expect(await admin.api(models).own()).toEqual(['gpt-4o', 'unpriced-model']);
});

test('lists offered models without a price', async () => {
  expect(await admin.api(prices).unpriced()).toEqual(['unpriced-model', 'vip-model', 'wild-*']);
});

test('a disabled channel offers nothing', async () => {
  if (open === undefined) throw new Error('No channel was created');
  await admin.api(channels).update({ body: { id: open.id, status: 'disabled' } });
  expect(await app.anonymous.api(models).available()).toEqual({});
});

test('hides the models of a private group whose name is that of a built-in property', async () => {
  await admin.api(userGroups).create({ body: { symbol: 'constructor', name: 'Builders' } });
  await admin
    .api(channels)
    .create({ body: { ...form, name: 'builders', models: ['builders-model'], group: ['constructor'] } });
  expect(await app.anonymous.api(models).available()).toEqual({});
});
