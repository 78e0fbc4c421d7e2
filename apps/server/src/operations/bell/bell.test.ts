import { apiKeySetting, apiKeys } from '@switchyard/contract/accounts/api-keys';
import { channels } from '@switchyard/contract/channels/channels';
import { pointsAmount } from '@switchyard/contract/money';
import type { BellNotificationKind } from '@switchyard/contract/operations/bell';
import { notices } from '@switchyard/contract/operations/bell';
import { systemInfo } from '@switchyard/contract/operations/system-info';
import { beforeEach, expect, test, vi } from 'vitest';
import { apiKeyRoutes } from '../../accounts/api-keys/routes.ts';
import { channelRoutes } from '../../channels/registry/routes.ts';
import { nowSeconds } from '../../platform/clock.ts';
import type { SignedInUser } from '../../testing/create-user.ts';
import { insertPaymentOrder, insertPaymentProvider } from '../../testing/payment-order.ts';
import { setOptions } from '../../testing/set-options.ts';
import { runInBackground, serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { startSchedule } from '../scheduler/scheduler.ts';
import { systemInfoRoutes } from '../system-info/routes.ts';
import { checkVersion } from '../system-info/system-info.ts';
import { bellRoutes } from './routes.ts';

const DAY = 86_400;
const app = await useFeatureApp([
  serveRoutes(apiKeys, apiKeyRoutes),
  serveRoutes(channels, channelRoutes),
  serveRoutes(notices, bellRoutes),
  serveRoutes(systemInfo, (ctx) => systemInfoRoutes(ctx, { running: 0 })),
  runInBackground((ctx) => startSchedule(ctx, [{ name: 'check-version', everyMs: 86_400_000, run: checkVersion }])),
]);
const { ctx } = app;
const root = await app.createUser('root', { quota: 9_000_000 });
const admin = await app.createUser('admin', { quota: 9_000_000 });
const user = await app.createUser('user', { quota: 9_000_000 });

const all = (who: SignedInUser) => who.api(notices).list();
const kinds = async (who: SignedInUser): Promise<BellNotificationKind[]> =>
  (await all(who)).filter(({ seen }) => !seen).map(({ kind }) => kind);
const one = async (who: SignedInUser, kind: BellNotificationKind) =>
  (await all(who)).find((notice) => notice.kind === kind);
const dismiss = async (who: SignedInUser, kind: BellNotificationKind): Promise<void> => {
  const notice = await one(who, kind);
  await who.api(notices).seen({ body: [{ kind, mark: notice?.mark ?? '' }] });
};

/** Dates dismissals back. */
const passDays = (days: number) =>
  ctx.db.writer
    .updateTable('notice_seen')
    .set(({ eb }) => ({ seen_time: eb('seen_time', '-', days * DAY) }))
    .execute();

beforeEach(async () => {
  await ctx.db.writer.deleteFrom('notice_seen').execute();
});

test('shows no notification without a cause', async () => {
  for (const who of [root, admin, user]) expect(await kinds(who)).toEqual([]);
});

test('an announcement is new to each until they have seen it, and again when its text changes', async () => {
  await setOptions(ctx, { Notice: 'Closed on Sunday' });
  await dismiss(user, 'announcement');
  expect(await kinds(user)).toEqual([]);
  expect(await kinds(admin)).toEqual(['announcement']);
  await passDays(8);
  expect(await kinds(user)).toEqual([]);
  await setOptions(ctx, { Notice: 'Closed on Monday' });
  expect(await kinds(user)).toEqual(['announcement']);
  await setOptions(ctx, { Notice: '' });
  expect(await kinds(user)).toEqual([]);
});

test('notifies the owner of a low balance, and again of an empty one', async () => {
  const poor = await app.createUser('user', { quota: 10 });
  expect(await kinds(poor)).toEqual(['low-balance']);
  await dismiss(poor, 'low-balance');
  expect(await kinds(poor)).toEqual([]);
  await passDays(8);
  expect(await kinds(poor)).toEqual(['low-balance']);
  await dismiss(poor, 'low-balance');
  await ctx.ledger.transaction((_trx, moves) =>
    moves.post({ kind: 'adjust', ref: 'gone', userId: poor.id, amount: -10, note: '' }),
  );
  expect(await kinds(poor)).toEqual(['low-balance']);
});

test('notifies the owner of their own exhausted and expiring tokens only', async () => {
  const owner = await app.createUser('user', { quota: 9_000_000 });
  const make = (name: string, more: object) => owner.api(apiKeys).create({ body: { name, ...more } });
  const limits = (day: number) => {
    const setting = apiKeySetting.parse({});
    const budgets = { ...setting.limits.budgets, day: pointsAmount.parse(day) };
    return { setting: { ...setting, limits: { ...setting.limits, budgets } } };
  };
  await make('fine', { unlimited_quota: true, expired_time: -1 });
  await make('roomy', { unlimited_quota: true, expired_time: -1, ...limits(50) });
  const budgeted = await make('budgeted', { unlimited_quota: true, expired_time: -1, ...limits(7) });
  await make('ends', { unlimited_quota: true, expired_time: nowSeconds(ctx.clock) + 3 * DAY });
  await make('later', { unlimited_quota: true, expired_time: nowSeconds(ctx.clock) + 30 * DAY });
  await make('empty', { unlimited_quota: false, remain_quota: 0, expired_time: -1 });
  const day = Math.floor(nowSeconds(ctx.clock) / DAY) * DAY;
  await ctx.db.writer.insertInto('key_day').values({ api_key_id: budgeted.id, day, used: 7 }).execute();
  expect(await one(owner, 'token-spent')).toMatchObject({ count: 2, names: ['budgeted', 'empty'] });
  expect(await one(owner, 'token-expires')).toMatchObject({ count: 1, names: ['ends'] });
  expect(await kinds(user)).toEqual([]);
});

test('notifies users who may read channels and prices; a dismissed notification returns when its state changes', async () => {
  for (const name of ['first', 'second'])
    await root
      .api(channels)
      .create({ body: { name, type: 8, base_url: 'http://127.0.0.1:9', models: ['unheard-of'], key: 'sk-x' } });
  expect(await kinds(admin)).toEqual(['models-unpriced']);
  expect(await kinds(user)).toEqual([]);
  const takeOut = (name: string) =>
    ctx.db.writer.updateTable('channel').set({ status: 'auto-disabled' }).where('name', '=', name).execute();
  await takeOut('first');
  expect(await one(admin, 'channels-disabled')).toMatchObject({ count: 1, names: ['first'] });
  await dismiss(admin, 'channels-disabled');
  expect(await kinds(admin)).toEqual(['models-unpriced']);
  await takeOut('second');
  expect(await kinds(admin)).toEqual(['channels-disabled', 'models-unpriced']);
});

test('only root hears of what only root can mend', async () => {
  await setOptions(ctx, { VersionCheckURL: 'http://127.0.0.1:9/latest' });
  await root.api(systemInfo).runJob({ params: { name: 'check-version' } });
  await ctx.db.writer
    .insertInto('mail')
    .values({
      id: 'm1',
      created_time: 5,
      recipient: 'ann@example.org',
      template: 'smtp-test',
      values_sealed: '',
      language: 'en_US',
      tries: 6,
      next_try_time: 5,
      expires_time: 9,
      last_error: 'refused',
      state: 'failed',
    })
    .execute();
  await expect.poll(() => one(root, 'jobs-failed')).toMatchObject({ count: 1, names: ['check-version'] });
  expect(await one(root, 'mail-failed')).toMatchObject({ names: ['ann@example.org'], since: 5 });
  for (const kind of ['mail-failed', 'jobs-failed', 'certificates-end'] as const)
    expect(await kinds(admin)).not.toContain(kind);
});

test('shows overload and ledger discrepancies while they last', async () => {
  app.load.memoryShare = 0.99;
  await vi.waitFor(async () => expect(await kinds(admin)).toContain('overload'), 5_000);
  expect(await kinds(user)).not.toContain('overload');
  app.load.memoryShare = 0;
  await vi.waitFor(async () => expect(await kinds(admin)).not.toContain('overload'), 5_000);
  await ctx.db.writer
    .insertInto('ledger_alarm')
    .values({ user_id: user.id, problem: 'balance', difference: 7, found_at: 5 })
    .execute();
  expect(await one(admin, 'books-differ')).toMatchObject({ count: 1, names: [user.username] });
});

test('notifies the buyer of a failed payment, and staff of payments and refunds that need a review', async () => {
  const buyer = await app.createUser('user', { quota: 9_000_000 });
  const processor_id = await insertPaymentProvider(ctx);
  const order = (fields: Parameters<typeof insertPaymentOrder>[1]) => insertPaymentOrder(ctx, fields);
  const own = { user_id: buyer.id, processor_id };
  const failed = await order({ ...own, status: 'failed', paid_time: null });
  expect(await one(buyer, 'payment-failed')).toMatchObject({ count: 1, names: [failed.trade_no] });
  const paid = await order(own);
  expect(await one(buyer, 'payment-failed')).toBeUndefined();
  const parked = await order({ ...own, review: 'paid-twice' });
  expect(await one(admin, 'payments-review')).toMatchObject({ names: [parked.trade_no] });
  const refund = (id: string, state: 'failed' | 'pending', is_dispute = 0) =>
    ctx.db.writer
      .insertInto('order_refund')
      .values({
        id,
        order_id: paid.id,
        amount: 1,
        quota: 1,
        state,
        is_dispute,
        reason: 'asked for',
        processor_no: '',
        created_by: null,
        created_time: nowSeconds(ctx.clock),
        next_ask_time: null,
      })
      .execute();
  // A dispute that was won.
  await refund('won', 'failed', 1);
  expect(await one(admin, 'refunds-failed')).toBeUndefined();
  await refund('one', 'failed');
  expect(await one(admin, 'refunds-failed')).toMatchObject({ names: [paid.trade_no] });
  await refund('two', 'pending');
  expect(await one(admin, 'refunds-failed')).toBeUndefined();
  expect(await kinds(buyer)).toEqual([]);
});
