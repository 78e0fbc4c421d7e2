import { moneyOverview } from '@switchyard/contract/billing/money-overview';
import { expect, test } from 'vitest';
import { insertUsageRecords } from '../../testing/insert-usage-records.ts';
import { insertPaymentOrder, insertPaymentProvider } from '../../testing/payment-order.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { removeRecordsBefore, writeGroupRollups } from '../../usage/usage-records/usage-records.ts';
import { moneyOverviewRoutes } from './routes.ts';

const DAY = 86_400;
const TODAY = Date.UTC(2026, 10, 20) / 1000;
const NOW = TODAY + 15 * 3600;

const app = await useFeatureApp([serveRoutes(moneyOverview, moneyOverviewRoutes)], { now: NOW * 1000 });
const root = await app.createUser('root');
const admin = await app.createUser('admin');
const ann = await app.createUser('user', { quota: 1_000 });
const bob = await app.createUser('user');
const money = admin.api(moneyOverview);

const week = { start_timestamp: TODAY - 6 * DAY, end_timestamp: NOW };
const before = { start_timestamp: TODAY - 13 * DAY, end_timestamp: NOW - 7 * DAY };

async function move(userId: number, kind: 'gift' | 'adjust', amount: number, time = NOW): Promise<void> {
  app.clock.set(time * 1000);
  await app.ctx.ledger.transaction((_trx, moves) =>
    moves.post({ kind, ref: `${kind}-${time}-${amount}`, userId, amount, note: '', mayLeaveDebt: true }),
  );
  app.clock.set(NOW * 1000);
}

test('shows zeros and the owed points if nothing has happened', async () => {
  expect(await money.get({ query: week })).toEqual({
    income: [],
    codes: { redeemed: 0, quota: 0, outstanding: 0, outstanding_quota: 0 },
    gifts: 0,
    adjustments: 0,
    charged: 0,
    cost: 0,
    costed: 0,
    liabilities: 1_000,
    debts: 0,
  });
  for (const by of ['day', 'group', 'model'] as const)
    expect(await money.sales({ query: { ...week, by } })).toEqual([]);
  for (const by of ['day', 'processor'] as const) expect(await money.income({ query: { ...week, by } })).toEqual([]);
});

test('income contains the payments of the period, by currency, and no unpaid orders', async () => {
  const bank = await insertPaymentProvider(app.ctx, 'Bank');
  const card = await insertPaymentProvider(app.ctx, 'Card');
  const paid = { user_id: ann.id, processor_id: bank };
  await insertPaymentOrder(app.ctx, { ...paid, order_amount: 7_300, fee_micros: 300_000 });
  await insertPaymentOrder(app.ctx, {
    ...paid,
    order_amount: 1_000,
    status: 'refunded',
    refunded_amount: 1_000,
    paid_time: TODAY - DAY,
  });
  await insertPaymentOrder(app.ctx, {
    ...paid,
    processor_id: card,
    currency: 'JPY',
    order_amount: 1_500,
    status: 'disputed',
    paid_time: TODAY,
  });
  await insertPaymentOrder(app.ctx, { ...paid, order_amount: 1, paid_time: TODAY - 7 * DAY });
  for (const status of ['pending', 'closed', 'failed'] as const)
    await insertPaymentOrder(app.ctx, { ...paid, status, paid_time: null });

  const cny = { currency: 'CNY', orders: 2, income: 83, refunds: 10, fees: 0.3, quota: 10_000_000 };
  const jpy = { currency: 'JPY', orders: 1, income: 1_500, refunds: 0, fees: 0, quota: 5_000_000 };
  expect((await money.get({ query: week })).income).toEqual([cny, jpy]);
  expect((await money.get({ query: before })).income).toMatchObject([{ orders: 1, income: 0.01 }]);
  expect(await money.income({ query: { ...week, by: 'processor' } })).toEqual([
    { key: 'Bank', ...cny },
    { key: 'Card', ...jpy },
  ]);
  const days = await money.income({ query: { ...week, by: 'day' } });
  expect(days.map(({ key, currency, income }) => [Number(key), currency, income])).toEqual([
    [TODAY - DAY, 'CNY', 10],
    [TODAY, 'CNY', 73],
    [TODAY, 'JPY', 1_500],
  ]);
});

test('codes count as redeemed at the time of redemption, and as outstanding while they can be redeemed', async () => {
  const batch = (quota: number, fields: object = {}) =>
    app.ctx.db.writer
      .insertInto('code_batch')
      .values({
        name: 'b',
        quota,
        count: 1,
        prefix: '',
        expires_time: 0,
        per_user: 0,
        for_group: '',
        grant_group: '',
        enabled: 1,
        created_by: admin.id,
        created_time: 0,
        deleted_time: null,
        ...fields,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
  let codes = 0;
  const code = (batch_id: number, status: 'enabled' | 'disabled' | 'used', redeemed_time = 0) => {
    codes += 1;
    return app.ctx.db.writer
      .insertInto('redemption_code')
      .values({ batch_id, code_hash: `h${codes}`, code_sealed: '', hint: '', status, redeemed_time, redeemed_by: null })
      .execute();
  };
  const open = (await batch(500)).id;
  await code(open, 'enabled');
  await code(open, 'enabled');
  await code(open, 'disabled');
  await code(open, 'used', NOW);
  await code(open, 'used', TODAY - 7 * DAY);
  for (const fields of [{ enabled: 0 }, { deleted_time: 1 }, { expires_time: NOW }])
    await code((await batch(9_000, fields)).id, 'enabled');
  await code((await batch(70, { expires_time: NOW + 1 })).id, 'enabled');
  expect((await money.get({ query: week })).codes).toEqual({
    redeemed: 1,
    quota: 500,
    outstanding: 3,
    outstanding_quota: 1_070,
  });

  // Beyond the exact range of a number: ten codes of the largest value.
  const large = (await batch(1_000_000_000_000_000)).id;
  for (let count = 0; count < 10; count++) await code(large, 'enabled');
  const { codes: all } = await money.get({ query: week });
  expect(all.outstanding_quota).toBe(Number.MAX_SAFE_INTEGER);
});

test('gifts and corrections are those of the time; the operator’s own account is owed nothing', async () => {
  await move(ann.id, 'gift', 40);
  await move(ann.id, 'gift', 3, TODAY - 8 * DAY);
  await move(root.id, 'gift', 5_000);
  await move(bob.id, 'adjust', -25);
  const deletedUser = await app.createUser('user', { quota: 77 });
  await app.ctx.db.writer.updateTable('user').set({ deleted_time: 1 }).where('id', '=', deletedUser.id).execute();
  expect(await money.get({ query: week })).toMatchObject({
    gifts: 40,
    adjustments: -25,
    liabilities: 1_043,
    debts: 25,
  });
  expect(await money.get({ query: before })).toMatchObject({ gifts: 3, adjustments: 0 });
});

test('charges, costs and margins have equal sums by day, group and model', async () => {
  await insertUsageRecords(app.ctx, ann.id, [
    { created_at: NOW, quota: 100, cost: 60, model: 'a', group_symbol: 'default' },
    { created_at: NOW, quota: 30, cost: null, model: 'b', group_symbol: 'vip' },
    { created_at: TODAY - DAY, quota: 20, cost: 0, model: 'a', group_symbol: 'vip' },
    { created_at: TODAY - 6 * DAY, quota: 7, cost: 9, model: 'a', group_symbol: 'vip' },
    { created_at: NOW, type: 'error', quota: 0 },
    { created_at: TODAY - 7 * DAY, quota: 1_000, cost: 1 },
  ]);
  const sales = (by: 'day' | 'group' | 'model') => money.sales({ query: { ...week, by } });
  expect(await sales('day')).toEqual([
    { key: String(TODAY - 6 * DAY), requests: 1, charged: 7, cost: 9, costed: 7 },
    { key: String(TODAY - DAY), requests: 1, charged: 20, cost: 0, costed: 20 },
    { key: String(TODAY), requests: 2, charged: 130, cost: 60, costed: 100 },
  ]);
  expect(await sales('model')).toEqual([
    { key: 'a', requests: 3, charged: 127, cost: 69, costed: 127 },
    { key: 'b', requests: 1, charged: 30, cost: 0, costed: 0 },
  ]);
  const groups = [
    { key: 'default', requests: 1, charged: 100, cost: 60, costed: 100 },
    { key: 'vip', requests: 3, charged: 57, cost: 9, costed: 27 },
  ];
  expect(await sales('group')).toEqual(groups);
  expect(await money.get({ query: week })).toMatchObject({ charged: 157, cost: 69, costed: 127 });

  // The same once days are added up, and after their records are deleted.
  await writeGroupRollups(app.ctx);
  expect(await sales('group')).toEqual(groups);
  await writeGroupRollups(app.ctx);
  await removeRecordsBefore(app.ctx, TODAY);
  expect(await sales('group')).toEqual(groups);
  const stored = await app.ctx.db.writer.selectFrom('usage_group_day').select('day').distinct().execute();
  expect(stored.map(({ day }) => day)).toEqual([TODAY - 7 * DAY, TODAY - 6 * DAY, TODAY - DAY]);
});

test('rejects callers without the permission to see the money', async () => {
  await expect(ann.api(moneyOverview).get({ query: week })).rejects.toMatchObject({ code: 'not-allowed' });
});

test('a time that no calendar has is refused', async () => {
  const far = String(Number.MAX_SAFE_INTEGER);
  const query = new URLSearchParams({ start_timestamp: far, end_timestamp: far });
  expect((await admin.fetch(`/api/money/overview?${query.toString()}`)).status).toBe(400);
});
