import { profile } from '@switchyard/contract/accounts/profile';
import { signIn } from '@switchyard/contract/accounts/sign-in';
import { staffRoles } from '@switchyard/contract/accounts/staff-roles';
import { users } from '@switchyard/contract/accounts/users';
import { channels } from '@switchyard/contract/channels/channels';
import type { NotificationTargetId } from '@switchyard/contract/ids';
import { notices } from '@switchyard/contract/operations/bell';
import { type NotificationTargetForm, notifications } from '@switchyard/contract/operations/notifications';
import { sql } from 'kysely';
import { afterAll, afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { profileRoutes } from '../../accounts/profile/routes.ts';
import { signInRoutes } from '../../accounts/sign-in/routes.ts';
import { staffRoleRoutes } from '../../accounts/staff-roles/routes.ts';
import { userRoutes } from '../../accounts/users/routes.ts';
import { closeUnpaid } from '../../billing/orders/order-states.ts';
import {
  disableChannel,
  enableChannel,
  notifyChannelStatus,
} from '../../channels/health/disable-and-enable-channels.ts';
import { channelRoutes } from '../../channels/registry/routes.ts';
import type { SignedInUser } from '../../testing/create-user.ts';
import { fillTable } from '../../testing/fill-table.ts';
import { insertPaymentOrder, insertPaymentProvider } from '../../testing/payment-order.ts';
import { setOptions } from '../../testing/set-options.ts';
import { type Reply, startTestVendor, type VendorRequest } from '../../testing/simulated-vendor.ts';
import { runInBackground, serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { signIn as signInByPassword } from '../../testing/visitor.ts';
import { bellRoutes } from '../bell/routes.ts';
import { removeOldDeliveries } from './deliveries.ts';
import { startDeliveryQueue } from './notifications.ts';
import { notifySite, notifyUser } from './queue-notifications.ts';
import { notificationRoutes } from './routes.ts';

const HOOK = 'https://hooks.example';
const taken: VendorRequest[] = [];
let reply: (request: VendorRequest) => Reply | Promise<Reply> = () => ({ text: 'ok' });
const receiver = await startTestVendor({}, (request) => {
  taken.push(request);
  return reply(request);
});
afterAll(() => receiver.close());

let start = Date.UTC(2026, 0, 10, 12);
const app = await useFeatureApp(
  [
    runInBackground(startDeliveryQueue),
    serveRoutes(signIn, signInRoutes),
    serveRoutes(notifications, notificationRoutes),
    serveRoutes(channels, channelRoutes),
    serveRoutes(notices, bellRoutes),
    serveRoutes(profile, profileRoutes),
    serveRoutes(staffRoles, staffRoleRoutes),
    serveRoutes(users, userRoutes),
  ],
  {
    now: start,
    config: { publicUrl: 'https://gate.example' },
    originOverrides: { [HOOK]: receiver.url, 'https://api.telegram.org': receiver.url },
  },
);
const { ctx } = app;
const root = await app.createUser('root');
const ann = await app.createUser('user');
const bob = await app.createUser('user');
await setOptions(ctx, { Language: 'en_US' });

afterEach(async () => {
  reply = () => ({ text: 'ok' });
  taken.length = 0;
  // PostgreSQL gives up one of two that wait for each other, and deliveries are under way.
  await vi.waitFor(() => ctx.db.writer.deleteFrom('delivery').execute(), { timeout: 60_000 });
  await ctx.db.writer.deleteFrom('destination').execute();
  start += 120_000;
  app.clock.set(start);
});

const form = (changes: Partial<NotificationTargetForm> = {}): NotificationTargetForm => ({
  type: 'slack',
  name: 'Team',
  events: ['low-balance'],
  enabled: true,
  config: { address: `${HOOK}/services/very-secret-token` },
  ...changes,
});
const add = (user: SignedInUser, changes: Partial<NotificationTargetForm> = {}) =>
  user.api(notifications).createOwn({ body: form(changes) });
/** The queue looks again, now that something is committed or the clock was moved. */
const look = () => ctx.changes.publish({ topic: 'deliveries' });
const lowBalance = async (balance = '$1.20', user = ann): Promise<void> => {
  await notifyUser(ctx, user.id, 'low-balance', { balance });
  await look();
};
const deliveries = async (user = ann) => (await user.api(notifications).listOwnDeliveries()).data;
const newest = async (user = ann) => (await deliveries(user))[0];
const texts = () => taken.map(({ body }) => String(JSON.parse(body).text));
const settled = (state: string, user = ann) => expect.poll(async () => (await newest(user))?.state).toBe(state);

test('notifies the owner’s channel of an account’s event, and logs the response', async () => {
  await add(ann);
  await add(bob);
  await lowBalance();
  await settled('delivered');
  expect(texts()).toEqual([
    'Switchyard: Your balance is running low\n$1.20 left. When it is used up, requests are refused.\nhttps://gate.example/panel/topup',
  ]);
  expect(await newest()).toMatchObject({
    event: 'low-balance',
    destination: 'Team',
    type: 'slack',
    tries: 1,
    last_answer: '200 ok',
  });
  expect(await deliveries(bob)).toEqual([]);
});

test('the message is in the recipient’s language', async () => {
  await add(ann);
  await ctx.db.writer.updateTable('user').set({ language: 'ja_JP' }).where('id', '=', ann.id).execute();
  await lowBalance();
  await ctx.db.writer.updateTable('user').set({ language: '' }).where('id', '=', ann.id).execute();
  await settled('delivered');
  expect(texts()[0]).toContain('残高が少なくなっています');
});

test('sends no unselected event, and nothing to a disabled channel', async () => {
  await add(ann, { events: ['order-paid'] });
  await add(ann, { enabled: false });
  await lowBalance();
  expect(await deliveries()).toEqual([]);
});

test('sends no notification of a transaction that is rolled back', async () => {
  await add(ann);
  const failing = ctx.db.writer.transaction().execute(async (trx) => {
    await notifyUser(ctx, ann.id, 'low-balance', { balance: '$0' }, trx);
    throw new Error('rolled back');
  });
  await expect(failing).rejects.toThrow('rolled back');
  await look();
  expect(await deliveries()).toEqual([]);
});

test('keeps the change when its notification fails', async () => {
  await add(ann, { events: ['order-failed'] });
  await sql`alter table delivery rename to gone`.execute(ctx.db.writer);
  const processor_id = await insertPaymentProvider(ctx);
  const order = await insertPaymentOrder(ctx, { user_id: ann.id, processor_id, status: 'pending', paid_time: null });
  await closeUnpaid(ctx, order.id, 'failed');
  await sql`alter table gone rename to delivery`.execute(ctx.db.writer);
  const row = await ctx.db.writer
    .selectFrom('payment_order')
    .select('status')
    .where('id', '=', order.id)
    .executeTakeFirstOrThrow();
  expect(row.status).toBe('failed');
  expect(await deliveries()).toEqual([]);
});

test('retries a failed delivery with growing delays and the same id, up to a limit', async () => {
  const secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
  await add(ann, { type: 'webhook', config: { address: `${HOOK}/hook`, secret } });
  reply = () => ({ status: 503, text: 'down' });
  await lowBalance();
  for (const [index, seconds] of [30, 120, 600, 3_600, 21_600, 43_200, 86_400].entries()) {
    await expect.poll(async () => (await newest())?.last_answer).toBe('503 down');
    await expect.poll(() => taken.length).toBe(index + 1);
    app.clock.advance(seconds - 2);
    await look();
    expect(await newest()).toMatchObject({ state: 'waiting', tries: index + 1 });
    app.clock.advance(2);
    await look();
    await expect.poll(async () => (await newest())?.tries).toBe(index + 2);
  }
  await settled('failed');
  expect(taken).toHaveLength(8);
  expect(new Set(taken.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
});

test('how long to wait is honoured', async () => {
  await add(ann);
  reply = () => ({ status: 429, headers: { 'retry-after': '500' }, text: 'slow down' });
  await lowBalance();
  await expect.poll(async () => (await newest())?.last_answer).toBe('429 slow down');
  app.clock.advance(498);
  await look();
  expect((await newest())?.tries).toBe(1);
  reply = () => ({ text: 'ok' });
  app.clock.advance(2);
  await look();
  await settled('delivered');
});

test('messages to one destination arrive in order, and one that hangs holds up no other', async () => {
  await add(ann);
  await add(bob, { config: { address: `${HOOK}/bob` } });
  let release = (_reply: Reply): void => {};
  reply = ({ target }) => (target === '/bob' ? { text: 'ok' } : new Promise((resolve) => (release = resolve)));
  await lowBalance('$3');
  await lowBalance('$2');
  await expect.poll(() => taken.length).toBe(1);
  await lowBalance('$9', bob);
  await settled('delivered', bob);
  expect((await deliveries()).map(({ state }) => state)).toEqual(['waiting', 'waiting']);
  reply = () => ({ text: 'ok' });
  release({ status: 503, text: '' });
  await expect.poll(async () => (await deliveries())[1]?.last_answer).toBe('503');
  app.clock.advance(30);
  await look();
  await settled('delivered');
  const ours = texts().filter((text) => !text.includes('$9'));
  expect(ours.map((text) => /\$\d/.exec(text)?.[0])).toEqual(['$3', '$3', '$2']);
});

test('disables a notification channel that no longer exists, informs its owner, and resets it when re-enabled', async () => {
  const { id } = await add(ann);
  reply = () => ({ status: 410, text: 'channel_is_archived' });
  await lowBalance('$3');
  await settled('failed');
  const of = async () => (await ann.api(notifications).listOwn())[0];
  await expect.poll(of).toMatchObject({ enabled: false, off_reason: '410 channel_is_archived' });
  const kinds = async (user: SignedInUser) => (await user.api(notices).list()).map(({ kind }) => kind);
  expect(await kinds(ann)).toContain('destination-off');
  expect(await kinds(root)).not.toContain('site-destination-off');
  await lowBalance('$2');
  expect(await deliveries()).toHaveLength(1);
  await ann.api(notifications).updateOwn({ params: { id }, body: { enabled: true } });
  expect(await of()).toMatchObject({ enabled: true, off_reason: '', failing_since: null });
  expect(await kinds(ann)).not.toContain('destination-off');
});

test('a destination at which nothing was taken for three days is switched off, with all that waits for it', async () => {
  await add(ann);
  reply = () => ({ status: 500, text: 'broken' });
  await lowBalance('$3');
  await lowBalance('$2');
  await expect.poll(async () => (await deliveries())[1]?.last_answer).toBe('500 broken');
  app.clock.advance(3 * 86_400);
  await look();
  await expect.poll(async () => (await deliveries()).map(({ state }) => state)).toEqual(['failed', 'failed']);
  expect((await ann.api(notifications).listOwn())[0]).toMatchObject({ enabled: false, off_reason: '500 broken' });
});

test('lets only the owner and root resend a failed notification', async () => {
  await add(ann);
  reply = () => ({ status: 400, text: 'invalid_payload' });
  await lowBalance();
  await settled('failed');
  const { id } = (await newest()) ?? {};
  if (id === undefined) throw new Error('no delivery');
  await expect(bob.api(notifications).sendOwnAgain({ params: { id } })).rejects.toMatchObject({ code: 'not-found' });
  reply = () => ({ text: 'ok' });
  await ann.api(notifications).sendOwnAgain({ params: { id } });
  await settled('delivered');
  await expect(root.api(notifications).sendAgain({ params: { id } })).rejects.toMatchObject({ code: 'conflict' });
  expect((await root.api(notifications).listDeliveries()).data).toMatchObject([{ id, username: ann.username }]);
});

test('a test reports the receiver’s response', async () => {
  const { id } = await add(ann, { enabled: false });
  expect(await ann.api(notifications).testOwn({ params: { id } })).toEqual({ ok: true, answer: '200 ok' });
  expect(texts()[0]).toContain('Test message');
  reply = () => ({ status: 404, text: 'no_service' });
  expect(await ann.api(notifications).testOwn({ params: { id } })).toEqual({ ok: false, answer: '404 no_service' });
  await expect(bob.api(notifications).testOwn({ params: { id } })).rejects.toMatchObject({ code: 'not-found' });
});

test('rejects access to the notification channels of other users and of the site', async () => {
  const { id } = await add(ann);
  const site = await siteDestination();
  for (const other of [id, site.id]) {
    const params = { id: other };
    await expect(bob.api(notifications).updateOwn({ params, body: { name: 'x' } })).rejects.toMatchObject({
      code: 'not-found',
    });
    await expect(bob.api(notifications).removeOwn({ params })).rejects.toMatchObject({ code: 'not-found' });
  }
  expect(await bob.api(notifications).listOwn()).toEqual([]);
  expect(await root.api(notifications).list()).toMatchObject([{ id: site.id }]);
});

async function siteDestination(changes: Partial<NotificationTargetForm> = {}) {
  await root.api(profile).stepUp({ body: { password: root.password } });
  return root.api(notifications).create({ body: form({ events: ['channel-disabled'], ...changes }) });
}

const channelDisabled = async (): Promise<void> => {
  await notifySite(ctx, 'channel-disabled', { channel: 'main', reason: 'Invalid key' });
  await look();
};

test('notifies the site, and the staff who currently have the permission', async () => {
  await siteDestination();
  await expect(add(ann, { events: ['channel-disabled'] })).rejects.toMatchObject({ fields: [{ path: 'events' }] });
  const admin = await app.createUser('admin');
  await add(admin, { events: ['channel-disabled'], config: { address: `${HOOK}/admin` } });
  await channelDisabled();
  await settled('delivered', admin);
  await expect
    .poll(() => taken.map(({ target }) => target).toSorted())
    .toEqual(['/admin', '/services/very-secret-token']);
  await root.api(users).update({ body: { id: admin.id, role: 'user' } });
  await channelDisabled();
  const rows = await ctx.db.writer.selectFrom('delivery').select('user_id').orderBy('id').execute();
  expect(rows.map(({ user_id }) => user_id)).toEqual([null, admin.id, null]);
});

test('stops notifying staff whose role loses the permission', async () => {
  const role = await root.api(staffRoles).create({ body: { name: 'Watch', permissions: ['channels.read'] } });
  const staff = await app.createUser('staff');
  await root.api(users).update({ body: { id: staff.id, staff_role: role.id } });
  await add(staff, { events: ['channel-disabled'] });
  await channelDisabled();
  await settled('delivered', staff);
  await root.api(staffRoles).update({ params: { id: role.id }, body: { name: 'Watch', permissions: ['users.read'] } });
  await channelDisabled();
  const written = ctx.db.writer.selectFrom('delivery').select('id').where('user_id', '=', staff.id);
  expect(await written.execute()).toHaveLength(1);
  // They may no longer read earlier notifications.
  expect(await deliveries(staff)).toEqual([]);
});

test('addresses and secrets are sealed, never shown again in full, and go to no other address', async () => {
  const secret = `whsec_${Buffer.alloc(24, 9).toString('base64')}`;
  const { id, hints } = await add(ann, { type: 'webhook', config: { address: `${HOOK}/very-secret-path`, secret } });
  expect(hints).toEqual({ address: `${HOOK}/…path`, secret: secret.slice(-4) });
  const row = await ctx.db.writer.selectFrom('destination').selectAll().executeTakeFirstOrThrow();
  expect(JSON.stringify(row)).not.toMatch(/very-secret|whsec/);
  const params = { id };
  await expect(
    ann.api(notifications).updateOwn({ params, body: { config: { address: 'https://evil.example/' } } }),
  ).rejects.toMatchObject({ fields: [{ path: 'config.secret' }] });
  const renamed = await ann.api(notifications).updateOwn({ params, body: { name: 'Other' } });
  expect(renamed).toMatchObject({ name: 'Other', hints });
});

test.each([
  [{ config: {} }, 'config.address'],
  [{ config: { address: 'ftp://hooks.example/' } }, 'config.address'],
  [{ config: { address: 'https://u:p@hooks.example/' } }, 'config.address'],
  [{ config: { address: `${HOOK}/`, token: 'x' } }, 'config.token'],
  [{ type: 'webhook', config: { address: `${HOOK}/`, secret: 'whsec_short' } }, 'config.secret'],
  [{ type: 'mail', config: { to: 'ann@example.org' } }, 'type'],
  [{ type: 'telegram', config: { chat: '42' } }, 'config.chat'],
] as const)('a user’s destination of %j is refused at %s', async (changes, path) => {
  await expect(add(ann, changes as Partial<NotificationTargetForm>)).rejects.toMatchObject({ fields: [{ path }] });
});

test('a user’s destination reaches no address inside, the operator’s may', async () => {
  const inside = { config: { address: `${receiver.url}/inside` } };
  const own = await add(ann, inside);
  expect(await ann.api(notifications).testOwn({ params: { id: own.id } })).toMatchObject({ ok: false });
  expect(taken).toEqual([]);
  const site = await siteDestination(inside);
  expect(await root.api(notifications).test({ params: { id: site.id } })).toMatchObject({ ok: true });
});

test('Telegram: a user’s messages go into the bound account, the site’s into its chat', async () => {
  await setOptions(ctx, { TelegramBotToken: '12345:abcdefghijklmnopqrstuvwxyz012345678' });
  reply = ({ target }) =>
    target.endsWith('/sendMessage') ? { json: { ok: true, result: {} } } : { json: { ok: false } };
  const { id } = await add(ann, { type: 'telegram', config: {} });
  const test = (of: NotificationTargetId) => ann.api(notifications).testOwn({ params: { id: of } });
  expect(await test(id)).toEqual({ ok: false, answer: 'No Telegram account is connected' });
  await ctx.db.writer
    .insertInto('identity')
    .values({
      provider: 'telegram',
      issuer: 'https://telegram.org',
      subject: '4242',
      user_id: ann.id,
      label: '@ann',
      created_time: 0,
    })
    .execute();
  expect(await test(id)).toMatchObject({ ok: true });
  const site = await siteDestination({ type: 'telegram', config: { chat: '-100777' } });
  expect(await root.api(notifications).test({ params: { id: site.id } })).toMatchObject({ ok: true });
  await setOptions(ctx, { TelegramBotToken: '' });
  const sent = taken.filter(({ target }) => target.endsWith('/sendMessage'));
  expect(sent.map(({ body }) => JSON.parse(body).chat_id)).toEqual(['4242', '-100777']);
});

test('retains notifications for 30 days, also of removed channels', async () => {
  const { id } = await add(ann);
  await lowBalance();
  await settled('delivered');
  await ann.api(notifications).removeOwn({ params: { id } });
  app.clock.advance(30 * 86_400 - 60);
  await removeOldDeliveries(ctx);
  const stored = () => ctx.db.writer.selectFrom('delivery').selectAll().execute();
  expect(await stored()).toMatchObject([{ destination_name: 'Team', destination_id: null }]);
  app.clock.advance(60);
  await removeOldDeliveries(ctx);
  expect(await stored()).toEqual([]);
});

test('removes a notification channel with many ended deliveries without changing them all in one statement', async () => {
  const { id } = await add(ann);
  const lane = `destination:${id}`;
  const ended = {
    lane,
    destination_id: id,
    user_id: ann.id,
    event: 'low-balance',
    type: 'webhook',
    state: 'delivered',
  };
  await fillTable(ctx, 'delivery', 450, { ...ended, destination_name: 'Removed' });
  const transactions = vi.spyOn(ctx.db.writer, 'transaction');
  onTestFinished(() => transactions.mockRestore());
  await ann.api(notifications).removeOwn({ params: { id } });
  expect(transactions.mock.calls.length).toBeGreaterThanOrEqual(5);
  const rows = ctx.db.writer.selectFrom('delivery').select('destination_id').where('lane', '=', lane);
  expect(new Set((await rows.execute()).map((row) => row.destination_id))).toEqual(new Set([null]));
});

test('notifies of a disabled channel, an order and a sign-in', async () => {
  const admin = await app.createUser('admin');
  await add(admin, {
    events: ['channel-disabled', 'channel-enabled', 'site-order-failed', 'order-failed', 'new-sign-in'],
  });
  const [channel] = await admin
    .api(channels)
    .create({ body: { name: 'main', type: 8, base_url: receiver.url, models: ['m'], key: 'sk' } });
  if (channel === undefined) throw new Error('no channel was made');
  await disableChannel(ctx, ctx.db.writer, channel.id, 'Invalid key');
  await notifyChannelStatus(ctx, channel.id, 'auto-disabled', 'Invalid key');
  await enableChannel(ctx, channel.id);
  const processor_id = await insertPaymentProvider(ctx);
  const order = await insertPaymentOrder(ctx, { user_id: ann.id, processor_id, status: 'pending', paid_time: null });
  await closeUnpaid(ctx, order.id, 'failed');
  await closeUnpaid(ctx, order.id, 'failed');
  // The first browser is no news.
  for (let browsers = 0; browsers < 2; browsers += 1) await signInByPassword(app.url, admin.username, admin.password);
  const rows = await ctx.db.writer.selectFrom('delivery').select('title').orderBy('id').execute();
  expect(rows.map(({ title }) => title)).toEqual([
    'Channel disabled: main',
    'Channel enabled: main',
    'An order failed',
    'New sign-in to your account',
  ]);
});
