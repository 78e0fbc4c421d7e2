/** However many subjects a condition has, its check lets others run. */
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { advanceWhile } from '../../testing/advance-until.ts';
import { fillTable, named, nth } from '../../testing/fill-table.ts';
import { measureLongestBlock } from '../../testing/measure-longest-block.ts';
import { setOptions } from '../../testing/set-options.ts';
import { useFeatureApp } from '../../testing/start-feature-app.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { startSchedule } from '../scheduler/scheduler.ts';
import { checkNotificationConditions, notifyLowBalances } from './check-notification-conditions.ts';

const TURN_MAX_MS = 50;

const machineClock = createTestClock(0);
const { ctx } = await useFeatureApp([], { now: Date.UTC(2026, 0, 10, 12), machineClock });
afterAll(startSchedule(ctx, []));
const mail = { SMTPServer: 'mail.example', SMTPFrom: 'gate@gate.example', ServerAddress: 'https://gate.example' };
await setOptions(ctx, { ...mail, QuotaRemindThreshold: '1' });
await fillTable(ctx, 'user', 600, {
  id: sql`n.i + 1000`,
  username: named('user-'),
  status: 'enabled',
  email: sql`'user-' || n.i || '@example.org'`,
  email_verified_time: 1,
  notices: '{}',
});

beforeEach(async () => {
  await ctx.db.writer.deleteFrom('delivery').execute();
});

const countNotifications = async (): Promise<number> => {
  const rows = await ctx.db.writer.selectFrom('delivery').select('id').execute();
  return rows.length;
};

const measure = (work: () => Promise<void>): Promise<number> =>
  measureLongestBlock(() => advanceWhile(machineClock, 0.02, work()));

test('notifies of 100 used-up tokens, beside 20,000 earlier ones and 5,000 refilled ones, without blocking others', async () => {
  await fillTable(ctx, 'api_key', 25_100, {
    id: nth,
    user_id: sql`1001 + n.i % 100`,
    key_hash: named('hash-'),
    status: 'enabled',
    expired_time: -1,
    setting: '{}',
  });
  await fillTable(ctx, 'key_account', 25_100, { api_key_id: nth, remaining: sql`iif(n.i > 20100, 1, 0)`, used: 1 });
  const subject = sql`cast(n.i + 100 as text)`;
  await fillTable(ctx, 'alert_mark', 25_000, { event: 'key-spent', subject });
  const turn = await measure(() => checkNotificationConditions(ctx));
  const marks = await ctx.db.writer.selectFrom('alert_mark').select('subject').execute();
  const subjects = marks.map((mark) => Number(mark.subject)).toSorted((a, b) => a - b);
  expect(subjects).toEqual(Array.from({ length: 20_100 }, (_, index) => index + 1));
  expect(await countNotifications()).toBe(100);
  expect(turn).toBeLessThan(TURN_MAX_MS);
});

test('notifies of 500 low balances without blocking others', async () => {
  await fillTable(ctx, 'user_account', 500, { user_id: sql`n.i + 1000` });
  const turn = await measure(() => notifyLowBalances(ctx));
  expect(await countNotifications()).toBe(500);
  expect(turn).toBeLessThan(TURN_MAX_MS);
});
