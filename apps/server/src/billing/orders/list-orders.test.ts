import { orders } from '@switchyard/contract/billing/orders';
import { paymentProviderId } from '@switchyard/contract/ids';
import type { RouteInput } from '@switchyard/contract/route';
import { expect, test } from 'vitest';
import { insertPaymentOrder, insertPaymentProvider } from '../../testing/payment-order.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { orderRoutes } from './routes.ts';

type Filter = RouteInput<typeof orders.totals>['query'];

const NOON = Date.UTC(2026, 10, 21, 12) / 1000;
const app = await useFeatureApp([serveRoutes(orders, orderRoutes)], { now: NOON * 1000 });
const { ctx } = app;
const root = (await app.createUser('root')).api(orders);
const anne = await app.createUser('user');
const bert = await app.createUser('user');
const [bank, shop] = [await insertPaymentProvider(ctx, 'Bank'), await insertPaymentProvider(ctx, '=Shop')];

const written = {
  old: { user_id: anne.id, processor_id: bank, created_time: NOON - 100, processor_no: 'P1' },
  open: { user_id: anne.id, processor_id: shop, status: 'pending', paid_time: null },
  odd: { user_id: bert.id, processor_id: bank, review: 'paid-twice' },
  back: { user_id: bert.id, processor_id: shop, status: 'refunded', refunded_amount: 7_300 },
  yen: { user_id: bert.id, processor_id: shop, currency: 'JPY', order_amount: 1_500, amount_usd: 1 },
} as const;
for (const [name, fields] of Object.entries(written))
  await insertPaymentOrder(ctx, { ...fields, trade_no: `T-${name}` });

const filters: [Filter, (keyof typeof written)[]][] = [
  [{}, ['yen', 'back', 'odd', 'open', 'old']],
  [{ user_id: anne.id }, ['open', 'old']],
  [{ username: bert.username }, ['yen', 'back', 'odd']],
  [{ username: bert.username.toUpperCase() }, ['yen', 'back', 'odd']],
  [{ trade_no: 'T-odd' }, ['odd']],
  [{ gateway_no: 'P1' }, ['old']],
  [{ status: 'pending' }, ['open']],
  [{ review: true }, ['odd']],
  [{ review: false }, ['yen', 'back', 'open', 'old']],
  [{ start_timestamp: NOON }, ['yen', 'back', 'odd', 'open']],
  [{ end_timestamp: NOON - 101 }, []],
  [{ start_timestamp: NOON - 100, end_timestamp: NOON - 100 }, ['old']],
];

test.each(filters)('the filter %j finds the same in the list, the sums and the table', async (query, names) => {
  const { data, total_count } = await root.list({ query });
  expect(data.map(({ trade_no }) => trade_no)).toEqual(names.map((name) => `T-${name}`));
  expect(total_count).toBe(names.length);
  const sums = await root.totals({ query });
  expect(sums.reduce((all, sum) => all + sum.orders, 0)).toBe(names.length);
  const lines = (await root.export({ query })).trim().split('\r\n').slice(1);
  expect(lines.map((line) => line.split(',')[2])).toEqual(names.map((name) => `T-${name}`));
});

test('distinguishes payment providers', async () => {
  const { data } = await root.list({ query: { gateway_id: paymentProviderId.parse(bank) } });
  expect(data.map(({ trade_no }) => trade_no)).toEqual(['T-odd', 'T-old']);
});

test('sums are separate for each currency, in its minor units', async () => {
  expect(await root.totals()).toEqual([
    { currency: 'CNY', orders: 4, paid: 3, paid_amount: 219, refunded_amount: 73, quota: 15_000_000 },
    { currency: 'JPY', orders: 1, paid: 1, paid_amount: 1_500, refunded_amount: 0, quota: 5_000_000 },
  ]);
});

test('the exported table contains no formula from a name', async () => {
  const [head, line] = (await root.export({ query: { trade_no: 'T-yen' } })).split('\r\n');
  expect(head?.startsWith('created,paid,trade_no,gateway,')).toBe(true);
  expect(line).toContain(`2026-11-21T12:00:00.000Z,2026-11-21T12:00:00.000Z,T-yen,'=Shop,`);
});

test('users do not see the orders of other users', async () => {
  await expect(anne.api(orders).list()).rejects.toMatchObject({ code: 'not-allowed' });
  const own = await anne.api(orders).listOwn({ query: { status: 'pending' } });
  expect(own.data.map(({ trade_no }) => trade_no)).toEqual(['T-open']);
  expect(own.data[0]).not.toHaveProperty('review');
});
