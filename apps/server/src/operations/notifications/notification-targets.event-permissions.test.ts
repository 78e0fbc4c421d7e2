import { accessTokens } from '@switchyard/contract/accounts/access-tokens';
import { profile } from '@switchyard/contract/accounts/profile';
import { staffRoles } from '@switchyard/contract/accounts/staff-roles';
import { users } from '@switchyard/contract/accounts/users';
import { notifications } from '@switchyard/contract/operations/notifications';
import { afterAll, afterEach, expect, test } from 'vitest';
import { accessTokenRoutes } from '../../accounts/access-tokens/routes.ts';
import { profileRoutes } from '../../accounts/profile/routes.ts';
import { staffRoleRoutes } from '../../accounts/staff-roles/routes.ts';
import { userRoutes } from '../../accounts/users/routes.ts';
import type { SignedInUser } from '../../testing/create-user.ts';
import { setOptions } from '../../testing/set-options.ts';
import { type Reply, startTestVendor } from '../../testing/simulated-vendor.ts';
import { runInBackground, serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { createVisitor } from '../../testing/visitor.ts';
import { startDeliveryQueue } from './notifications.ts';
import { notifySite, notifyUser } from './queue-notifications.ts';
import { notificationRoutes } from './routes.ts';

const HOOK = 'https://hooks.example';
let reply: Reply = { text: 'ok' };
let taken = 0;
const receiver = await startTestVendor({}, () => {
  taken += 1;
  return reply;
});
afterAll(() => receiver.close());
const app = await useFeatureApp(
  [
    runInBackground(startDeliveryQueue),
    serveRoutes(notifications, notificationRoutes),
    serveRoutes(accessTokens, accessTokenRoutes),
    serveRoutes(profile, profileRoutes),
    serveRoutes(staffRoles, staffRoleRoutes),
    serveRoutes(users, userRoutes),
  ],
  { now: Date.UTC(2026, 0, 10, 12), originOverrides: { [HOOK]: receiver.url } },
);
const { ctx } = app;
await setOptions(ctx, { Language: 'en_US' });
const root = await app.createUser('root');
await root.api(profile).stepUp({ body: { password: root.password } });

afterEach(async () => {
  reply = { text: 'ok' };
  taken = 0;
  await ctx.db.writer.deleteFrom('delivery').execute();
  await ctx.db.writer.deleteFrom('destination').execute();
});

let roles = 0;
/** A member of staff with a destination, at which nothing is taken for now. */
async function watcher() {
  roles += 1;
  const role = await root.api(staffRoles).create({ body: { name: `Watch ${roles}`, permissions: ['channels.read'] } });
  const staff = await app.createUser('staff');
  await root.api(users).update({ body: { id: staff.id, staff_role: role.id } });
  await staff
    .api(notifications)
    .createOwn({
      body: {
        type: 'slack',
        name: 'Team',
        events: ['channel-disabled', 'low-balance'],
        enabled: true,
        config: { address: `${HOOK}/` },
      },
    });
  return { staff, role };
}
const rowOf = (user: SignedInUser) =>
  ctx.db.writer
    .selectFrom('delivery')
    .selectAll()
    .where('user_id', '=', user.id)
    .orderBy('id')
    .executeTakeFirstOrThrow();
/** On PostgreSQL the queue checks once more after a while, by a clock that is stopped here. */
const look = () => ctx.changes.publish({ topic: 'deliveries' });
const channelDisabled = async (): Promise<void> => {
  await notifySite(ctx, 'channel-disabled', { channel: 'main', reason: 'Invalid key' });
  await look();
};
const refusal = { state: 'failed', last_answer: 'The account is disabled or may no longer receive this notification' };
const lookLater = async () => {
  app.clock.advance(30);
  await look();
};

test('neither sends, resends nor shows pending notifications of staff without the permission', async () => {
  const { staff, role } = await watcher();
  reply = { status: 503, text: 'down' };
  await channelDisabled();
  await expect.poll(async () => (await rowOf(staff)).last_answer).toBe('503 down');
  await root
    .api(staffRoles)
    .update({ params: { id: role.id }, body: { name: role.name, permissions: ['users.read'] } });
  reply = { text: 'ok' };
  await lookLater();
  await expect.poll(() => rowOf(staff)).toMatchObject(refusal);
  expect(taken).toBe(1);
  expect((await staff.api(notifications).listOwnDeliveries()).data).toEqual([]);
  const [shown] = (await root.api(notifications).listDeliveries()).data;
  if (shown === undefined) throw new Error('root sees nothing');
  const params = { id: shown.id };
  await expect(staff.api(notifications).sendOwnAgain({ params })).rejects.toMatchObject({ code: 'not-found' });
  await root.api(notifications).sendAgain({ params });
  await expect.poll(() => rowOf(staff)).toMatchObject({ ...refusal, tries: 1 });
  expect(taken).toBe(1);
});

test('skips pending notifications of a disabled account, without a failure of its channel', async () => {
  const { staff } = await watcher();
  reply = { status: 503, text: 'down' };
  await notifyUser(ctx, staff.id, 'low-balance', { balance: '$1' });
  await look();
  await expect.poll(async () => (await rowOf(staff)).last_answer).toBe('503 down');
  await ctx.db.writer.updateTable('destination').set({ failing_since: null }).execute();
  await ctx.db.writer.updateTable('user').set({ status: 'disabled' }).where('id', '=', staff.id).execute();
  await lookLater();
  await expect.poll(() => rowOf(staff)).toMatchObject(refusal);
  expect(taken).toBe(1);
  const rows = await ctx.db.writer.selectFrom('destination').select('failing_since').execute();
  expect(rows.every(({ failing_since }) => failing_since === null)).toBe(true);
});

test('neither queues, sends nor shows notifications of the site for a role whose second factor is overdue', async () => {
  const { staff } = await watcher();
  reply = { status: 503, text: 'down' };
  await channelDisabled();
  await expect.poll(async () => (await rowOf(staff)).last_answer).toBe('503 down');
  await ctx.db.writer.updateTable('user').set({ role_since: 0 }).where('id', '=', staff.id).execute();
  reply = { text: 'ok' };
  await lookLater();
  await expect.poll(() => rowOf(staff)).toMatchObject(refusal);
  await channelDisabled();
  await notifyUser(ctx, staff.id, 'low-balance', { balance: '$1' });
  await look();
  const deliveries = async () => (await staff.api(notifications).listOwnDeliveries()).data;
  await expect.poll(deliveries).toMatchObject([{ event: 'low-balance', state: 'delivered' }]);
  const rows = await ctx.db.writer.selectFrom('delivery').select('event').where('user_id', '=', staff.id).execute();
  expect(rows.map(({ event }) => event).toSorted()).toEqual(['channel-disabled', 'low-balance']);
  const [target] = await staff.api(notifications).listOwn();
  if (target === undefined) throw new Error('there is no notification channel');
  const subscribe = staff
    .api(notifications)
    .updateOwn({ params: { id: target.id }, body: { events: ['channel-disabled'] } });
  await expect(subscribe).rejects.toMatchObject({ fields: [{ path: 'events' }] });
  await ctx.db.writer.deleteFrom('delivery').execute();
  await ctx.db.writer
    .insertInto('totp')
    .values({ user_id: staff.id, secret_sealed: '', created_time: 0, last_step: 0 })
    .execute();
  await channelDisabled();
  await expect.poll(deliveries).toMatchObject([{ event: 'channel-disabled', state: 'delivered' }]);
});

/** A notification channel of staff, and the calls of their access token that may do nothing else than the account. */
async function narrowToken() {
  const { staff } = await watcher();
  const [target] = await staff.api(notifications).listOwn();
  if (target === undefined) throw new Error('there is no notification channel');
  const body = { name: 'script', scopes: ['user' as const], read_only: false, expires_time: 0 };
  const { token } = await staff.api(accessTokens).create({ body });
  const narrow = createVisitor(app.url, { authorization: `Bearer ${token}` }).api(notifications);
  return { staff, narrow, params: { id: target.id } };
}
const notReadable = { fields: [{ path: 'events', rule: 'not-allowed' }] };
const THIEF = { config: { address: `${HOOK}/thief` } };

test.each([
  ['another address', THIEF],
  ['an address and the same events', { ...THIEF, events: ['channel-disabled' as const] }],
  ['an address while it is disabled', { ...THIEF, enabled: false }],
  ['another name', { name: 'Other' }],
  ['its activation', { enabled: true }],
  ['an update without fields', {}],
])('refuses %s from a token without the right to read the stored events', async (_what, body) => {
  const { staff, narrow, params } = await narrowToken();
  const before = await staff.api(notifications).listOwn();
  await expect(narrow.updateOwn({ params, body })).rejects.toMatchObject(notReadable);
  expect(await staff.api(notifications).listOwn()).toEqual(before);
  await staff.api(notifications).updateOwn({ params, body });
});

test('lets a token without the right disable and delete the notification channel', async () => {
  const { narrow, params } = await narrowToken();
  expect(await narrow.updateOwn({ params, body: { enabled: false } })).toMatchObject({ enabled: false });
  await expect(narrow.updateOwn({ params, body: { enabled: true } })).rejects.toMatchObject(notReadable);
  await narrow.removeOwn({ params });
  expect(await narrow.listOwn()).toEqual([]);
});

test('sends no waiting notification to an address that a token without the right has set', async () => {
  const { staff, narrow, params } = await narrowToken();
  reply = { status: 503, text: 'down' };
  await channelDisabled();
  await expect.poll(async () => (await rowOf(staff)).last_answer).toBe('503 down');
  await notifyUser(ctx, staff.id, 'low-balance', { balance: '$1' });
  await narrow.updateOwn({ params, body: { events: ['low-balance'] } });
  reply = { text: 'ok' };
  taken = 0;
  await narrow.updateOwn({ params, body: THIEF });
  await lookLater();
  const deliveries = async () => (await staff.api(notifications).listOwnDeliveries()).data;
  await expect.poll(deliveries).toMatchObject([
    { event: 'low-balance', state: 'delivered' },
    { event: 'channel-disabled', state: 'failed', last_answer: 'The notification channel was changed' },
  ]);
  expect(taken).toBe(1);
});

test('an export holds what concerns the account, and nothing of the site', async () => {
  const { staff } = await watcher();
  await channelDisabled();
  await notifyUser(ctx, staff.id, 'low-balance', { balance: '$1' });
  await look();
  await staff.api(profile).stepUp({ body: { password: staff.password } });
  const { deliveries } = JSON.parse(await staff.api(profile).export());
  expect(deliveries).toMatchObject([{ event: 'low-balance' }]);
});
