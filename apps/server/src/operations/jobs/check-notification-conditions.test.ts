import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import { channels } from '@switchyard/contract/channels/channels';
import { toPoints } from '@switchyard/contract/money';
import { type NotificationEvent, notifications } from '@switchyard/contract/operations/notifications';
import { afterAll, afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { insertUsageRecords } from '../../testing/insert-usage-records.ts';
import { setOptions } from '../../testing/set-options.ts';
import { startTestVendor } from '../../testing/simulated-vendor.ts';
import { useTestApp } from '../../testing/start-test-app.ts';
import { listJobs, runJobNow, startSchedule } from '../scheduler/scheduler.ts';
import { checkVersion } from '../system-info/system-info.ts';
import { checkNotificationConditions } from './check-notification-conditions.ts';

const HOOK = 'https://hooks.example';
const receiver = await startTestVendor({}, () => ({ text: 'ok' }));
afterAll(() => receiver.close());
const app = await useTestApp({ now: Date.UTC(2026, 0, 10, 12), originOverrides: { [HOOK]: receiver.url } });
const { ctx } = app;
await setOptions(ctx, { Language: 'en_US' });
const root = await app.createUser('root');
const admin = await app.createUser('admin');
const events: NotificationEvent[] = ['key-spent', 'spend-in-window', 'error-rate'];
await admin
  .api(notifications)
  .createOwn({ body: { type: 'slack', name: 'Team', events, enabled: true, config: { address: `${HOOK}/` } } });

afterEach(async () => {
  // The queue may be at them, and PostgreSQL ends one of two that wait for each other.
  await vi.waitFor(() => ctx.db.writer.deleteFrom('delivery').execute(), { timeout: 60_000 });
  await ctx.db.writer.deleteFrom('usage_record').execute();
  await ctx.db.writer.deleteFrom('destination').where('user_id', '=', root.id).execute();
  await checkNotificationConditions(ctx);
});

const listNotified = async () => {
  const rows = await ctx.db.writer.selectFrom('delivery').select('title').orderBy('id').execute();
  return rows.map(({ title }) => title);
};

const record = (fields: { type?: 'consume' | 'error'; quota?: number; channel_id?: number }) =>
  insertUsageRecords(ctx, admin.id, [{ quota: 0, ...fields }]);

test('notifies once when spending exceeds its limit, and again only after it was below for the whole period', async () => {
  await setOptions(ctx, { AlertSpendLimit: '1000000', AlertSpendMinutes: '10' });
  await record({ quota: 900_000 });
  await checkNotificationConditions(ctx);
  expect(await listNotified()).toEqual([]);
  await record({ quota: 200_000 });
  await checkNotificationConditions(ctx);
  await checkNotificationConditions(ctx);
  expect(await listNotified()).toEqual(['Unusually high spending']);
  const { text } = await ctx.db.writer.selectFrom('delivery').select('text').executeTakeFirstOrThrow();
  expect(text).toBe('$2.20 in the last 10 minutes; the limit is $2.00.');
  app.clock.advance(601);
  await checkNotificationConditions(ctx);
  await record({ quota: 2_000_000 });
  await checkNotificationConditions(ctx);
  expect(await listNotified()).toHaveLength(2);
  app.clock.advance(601);
  await setOptions(ctx, { AlertSpendLimit: '0' });
  await checkNotificationConditions(ctx);
});

test('notifies of failures of the site and of a channel by their share, above a minimum of requests', async () => {
  await setOptions(ctx, { AlertErrorPercent: '50', AlertErrorMinutes: '5', AlertErrorMinimum: '4' });
  const [channel] = await admin
    .api(channels)
    .create({ body: { name: 'main', type: 8, base_url: receiver.url, models: ['m'], key: 'sk' } });
  if (channel === undefined) throw new Error('no channel was made');
  for (let i = 0; i < 3; i += 1) await record({ type: 'error' });
  await checkNotificationConditions(ctx);
  expect(await listNotified()).toEqual([]);
  await record({ type: 'error' });
  for (let i = 0; i < 5; i += 1) await record({ channel_id: channel.id });
  await checkNotificationConditions(ctx);
  // Four of nine.
  expect(await listNotified()).toEqual([]);
  for (let i = 0; i < 5; i += 1) await record({ type: 'error', channel_id: channel.id });
  await checkNotificationConditions(ctx);
  await checkNotificationConditions(ctx);
  expect(await listNotified()).toEqual(['Many requests fail', 'Many requests fail on channel main']);
  await setOptions(ctx, { AlertErrorPercent: '0' });
});

const accountOf = (id: number, remaining: number, used = 9) =>
  ctx.db.writer.updateTable('key_account').set({ remaining, used }).where('api_key_id', '=', id).execute();

test('notifies the owner of a used-up token once, and again after it was refilled', async () => {
  const { id } = await admin.api(apiKeys).create({ body: { name: 'laptop', remain_quota: toPoints(5) } });
  const account = (remaining: number) => accountOf(id, remaining);
  await checkNotificationConditions(ctx);
  expect(await listNotified()).toEqual([]);
  await account(0);
  await checkNotificationConditions(ctx);
  await checkNotificationConditions(ctx);
  expect(await listNotified()).toEqual(['A token has used up its quota']);
  await account(5);
  await checkNotificationConditions(ctx);
  await account(0);
  await checkNotificationConditions(ctx);
  expect(await listNotified()).toHaveLength(2);
});

test('does not notify of a token that never had quota, and of at most ten tokens of a user in an hour', async () => {
  const ids: number[] = [];
  for (let at = 0; at < 12; at += 1) {
    const body = { name: `key ${at}`, remain_quota: toPoints(0) };
    ids.push((await admin.api(apiKeys).create({ body })).id);
  }
  await checkNotificationConditions(ctx);
  expect(await listNotified()).toEqual([]);
  for (const id of ids) await accountOf(id, 0);
  await checkNotificationConditions(ctx);
  expect(await listNotified()).toHaveLength(10);
  for (const id of ids) await accountOf(id, 5);
  app.clock.advance(1_800);
  await checkNotificationConditions(ctx);
  for (const id of ids) await accountOf(id, 0);
  await checkNotificationConditions(ctx);
  expect(await listNotified()).toHaveLength(10);
  for (const id of ids) await accountOf(id, 5);
  app.clock.advance(1_801);
  await checkNotificationConditions(ctx);
  for (const id of ids) await accountOf(id, 0);
  await checkNotificationConditions(ctx);
  expect(await listNotified()).toHaveLength(20);
});

test('notifies of each newer version once, regardless of other nodes’ versions', async () => {
  await root
    .api(notifications)
    .createOwn({
      body: { type: 'slack', name: 'Root', events: ['new-version'], enabled: true, config: { address: `${HOOK}/` } },
    });
  let version = '';
  receiver.overrideReply('GET /version', () => ({ json: { version } }));
  await setOptions(ctx, { VersionCheckURL: `${receiver.url}/version` });
  // A version that is not newer is found by a node that was updated already.
  for (version of ['99.0.0', '99.0.0', '0.0.1', '99.0.0', '99.1.0', '99.0.0', '99.1.0']) {
    await checkVersion(ctx, new AbortController().signal);
    await checkNotificationConditions(ctx);
    app.clock.advance(3_600);
  }
  expect(await listNotified()).toEqual(['Version 99.0.0 is available', 'Version 99.1.0 is available']);
});

test('notifies of a failing job once, until it has succeeded again', async () => {
  await root
    .api(notifications)
    .createOwn({
      body: { type: 'slack', name: 'Root', events: ['job-failed'], enabled: true, config: { address: `${HOOK}/` } },
    });
  let fails = true;
  const own = { ...ctx };
  const run = () => (fails ? Promise.reject(new Error('disk full')) : Promise.resolve());
  const stop = startSchedule(own, [{ name: 'remove-old-tests', everyMs: 3_600_000, run }]);
  onTestFinished(stop);
  const runOnce = async (outcome: string) => {
    await runJobNow(own, 'remove-old-tests');
    await expect.poll(async () => (await listJobs(own))[0]).toMatchObject({ running: false, last: { outcome } });
    await checkNotificationConditions(own);
  };
  await runOnce('failed');
  await runOnce('failed');
  expect(await listNotified()).toEqual(['Job failed: remove-old-tests']);
  fails = false;
  await runOnce('ok');
  fails = true;
  await runOnce('failed');
  expect(await listNotified()).toHaveLength(2);
});
