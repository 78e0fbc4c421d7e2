import { rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { analytics, MARGIN_DAYS } from '@switchyard/contract/usage/analytics';
import { expect, test } from 'vitest';
import { priceRoutes } from '../../catalog/prices/routes.ts';
import { insertUsageRecords } from '../../testing/insert-usage-records.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { updateHourRollups } from './analytics.ts';
import { analyticsRoutes } from './routes.ts';

const DAY = 86_400;
const NOW = Date.UTC(2026, 2, 20, 12, 20) / 1000;

const app = await useFeatureApp([serveRoutes(analytics, analyticsRoutes), serveRoutes(prices, priceRoutes)], {
  now: NOW * 1000,
});
const admin = await app.createUser('admin');
const user = await app.createUser('user');
for (const model of ['own-*', 'own-exact'])
  await admin.api(prices).create({ body: { model, rates: rates.parse({ input: 1, output: 1 }) } });
await insertUsageRecords(app.ctx, user.id, [
  { model: 'own-a', quota: 100, cost: 40, created_at: NOW - 29 * DAY },
  { model: 'own-b', quota: 10, cost: 20, created_at: NOW - 60 },
  { model: 'own-b', quota: 500, cost: null, created_at: NOW - 60 },
  { model: 'own-exact', quota: 7, cost: 0, created_at: NOW - DAY },
  { model: 'own-exact', quota: 7_000, cost: 1, created_at: NOW - (MARGIN_DAYS + 1) * DAY },
  { model: 'gpt-4o', quota: 10, cost: null, created_at: NOW - DAY },
  { model: 'nobody-priced', quota: 10, cost: 1, created_at: NOW - DAY },
]);

const expected = { 'own-*': { costed: 110, cost: 60 }, 'own-exact': { costed: 7, cost: 0 } };

test('sums what calls of known cost of the last 30 days brought in, by the price that applies to their model', async () => {
  expect(await admin.api(analytics).margins()).toEqual(expected);
  await updateHourRollups(app.ctx);
  expect(await admin.api(analytics).margins()).toEqual(expected);
});

test('shows margins only to users who may see analytics', async () => {
  await expect(user.api(analytics).margins()).rejects.toMatchObject({ code: 'not-allowed' });
});
