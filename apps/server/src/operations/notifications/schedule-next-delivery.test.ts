import { profile } from '@switchyard/contract/accounts/profile';
import { notifications } from '@switchyard/contract/operations/notifications';
import { afterAll, afterEach, expect, test } from 'vitest';
import { profileRoutes } from '../../accounts/profile/routes.ts';
import type { SignedInUser } from '../../testing/create-user.ts';
import { type Reply, startTestVendor } from '../../testing/simulated-vendor.ts';
import { runInBackground, serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { removeOldDeliveries } from './deliveries.ts';
import { startDeliveryQueue } from './notifications.ts';
import { notifySite, notifyUser } from './queue-notifications.ts';
import { notificationRoutes } from './routes.ts';

const HOOK = 'https://hooks.example';
const DAY_SECONDS = 86_400;
let requests: string[] = [];
let hanging: ((reply: Reply) => void)[] = [];
/** Calls of `/hang` wait until the test releases them. */
const receiver = await startTestVendor({}, ({ target }) => {
  requests.push(target);
  return target.startsWith('/hang') ? new Promise((resolve) => hanging.push(resolve)) : { text: 'ok' };
});
afterAll(() => receiver.close());
const app = await useFeatureApp(
  [
    runInBackground(startDeliveryQueue),
    serveRoutes(notifications, notificationRoutes),
    serveRoutes(profile, profileRoutes),
  ],
  { now: Date.UTC(2026, 0, 10, 12), originOverrides: { [HOOK]: receiver.url } },
);
const { ctx } = app;
const root = await app.createUser('root');
const ann = await app.createUser('user');
const bob = await app.createUser('user');

afterEach(async () => {
  await ctx.db.writer.deleteFrom('delivery').execute();
  await ctx.db.writer.deleteFrom('destination').execute();
  for (const letGo of hanging) letGo({ text: 'ok' });
  requests = [];
  hanging = [];
});

const add = (user: SignedInUser, path: string) =>
  user
    .api(notifications)
    .createOwn({
      body: {
        type: 'slack',
        name: 'Team',
        events: ['low-balance'],
        enabled: true,
        config: { address: `${HOOK}${path}` },
      },
    });
const addToSite = async (path: string) => {
  await root.api(profile).stepUp({ body: { password: root.password } });
  return root
    .api(notifications)
    .create({
      body: {
        type: 'slack',
        name: 'Site',
        events: ['channel-disabled'],
        enabled: true,
        config: { address: `${HOOK}${path}` },
      },
    });
};
/** On PostgreSQL the queue checks once more after a while, by a clock that is stopped here. */
const look = () => ctx.changes.publish({ topic: 'deliveries' });
const lowBalance = async (user: SignedInUser): Promise<void> => {
  await notifyUser(ctx, user.id, 'low-balance', { balance: '$1' });
  await look();
};
const channelDisabled = async (): Promise<void> => {
  await notifySite(ctx, 'channel-disabled', { channel: 'main', reason: 'Invalid key' });
  await look();
};
const times = async () => {
  const rows = await ctx.db.writer
    .selectFrom('delivery')
    .select('next_try_time')
    .orderBy('id')
    .where('state', '=', 'waiting')
    .execute();
  return rows.map(({ next_try_time }) => next_try_time !== null);
};

test('delays no other user when all notification channels of one user hang', async () => {
  for (let at = 0; at < 20; at += 1) await add(ann, `/hang/${at}`);
  await add(bob, '/bob');
  await addToSite('/site');
  await lowBalance(ann);
  await expect.poll(() => hanging.length).toBe(2);
  await lowBalance(bob);
  await channelDisabled();
  await expect.poll(() => requests).toContain('/bob');
  await expect.poll(() => requests).toContain('/site');
  expect(hanging).toHaveLength(2);
  hanging[0]?.({ text: 'ok' });
  await expect.poll(() => hanging.length).toBe(3);
});

test('sends the site’s notifications before older ones of users', async () => {
  const others: SignedInUser[] = [];
  for (let at = 0; at < 11; at += 1) others.push(await app.createUser('user'));
  for (const user of others) for (const path of ['/hang/a', '/hang/b']) await add(user, path);
  await addToSite('/site');
  for (const user of others.slice(0, 10)) await lowBalance(user);
  await expect.poll(() => hanging.length).toBe(20);
  await lowBalance(others[10] ?? ann);
  app.clock.advance(1);
  await channelDisabled();
  hanging[0]?.({ text: 'ok' });
  await expect.poll(() => requests.length).toBe(22);
  expect(requests[20]).toBe('/site');
});

test('tries only the first delivery of a channel until it ends or is too old', async () => {
  await add(ann, '/hang');
  for (let at = 0; at < 3; at += 1) await lowBalance(ann);
  await expect.poll(() => hanging.length).toBe(1);
  expect(await times()).toEqual([true, false, false]);
  hanging[0]?.({ status: 400, text: 'no' });
  await expect.poll(() => hanging.length).toBe(2);
  expect(await times()).toEqual([true, false]);
  const [first] = (await ann.api(notifications).listOwnDeliveries({ query: { state: 'failed' } })).data;
  if (first === undefined) throw new Error('nothing failed');
  await ann.api(notifications).sendOwnAgain({ params: { id: first.id } });
  expect(await times()).toEqual([false, true, false]);
  const created_time = Math.floor(app.clock.now() / 1000) - 30 * DAY_SECONDS;
  await ctx.db.writer.updateTable('delivery').set({ created_time }).where('next_try_time', 'is not', null).execute();
  await removeOldDeliveries(ctx);
  expect(await times()).toEqual([true, false]);
});

test('50 wait for a user’s destination and 500 for the site’s; what comes on top is dropped', async () => {
  await add(ann, '/hang');
  await addToSite('/hang');
  for (let at = 0; at < 52; at += 1) await lowBalance(ann);
  for (let at = 0; at < 502; at += 1) await channelDisabled();
  const rows = await ctx.db.writer
    .selectFrom('delivery')
    .select((eb) => ['user_id', eb.fn.countAll<number>().as('waiting')])
    .groupBy('user_id')
    .orderBy('user_id', (order) => order.nullsFirst())
    .execute();
  expect(rows).toEqual([
    { user_id: null, waiting: 500 },
    { user_id: ann.id, waiting: 50 },
  ]);
});
