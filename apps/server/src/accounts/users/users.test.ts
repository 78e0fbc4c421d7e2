import { setImmediate } from 'node:timers/promises';
import { accessTokens } from '@switchyard/contract/accounts/access-tokens';
import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import { profile } from '@switchyard/contract/accounts/profile';
import { secondFactor } from '@switchyard/contract/accounts/second-factor';
import { signIn as signInFeature } from '@switchyard/contract/accounts/sign-in';
import { userDetails } from '@switchyard/contract/accounts/user-details';
import { users } from '@switchyard/contract/accounts/users';
import type { UserId } from '@switchyard/contract/ids';
import { toPoints } from '@switchyard/contract/money';
import { usageRecords } from '@switchyard/contract/usage/usage-records';
import { expect, onTestFinished, test, vi } from 'vitest';
import { verifyLedger } from '../../ledger/ledger.ts';
import { hashPassword } from '../../platform/secrets/password-hashing.ts';
import type { SignedInUser } from '../../testing/create-user.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { createVisitor, signIn, type Visitor } from '../../testing/visitor.ts';
import { usageRecordRoutes } from '../../usage/usage-records/routes.ts';
import { accessTokenRoutes } from '../access-tokens/routes.ts';
import { apiKeyRoutes } from '../api-keys/routes.ts';
import { profileRoutes } from '../profile/routes.ts';
import { secondFactorRoutes } from '../second-factor/routes.ts';
import { signInRoutes } from '../sign-in/routes.ts';
import { userDetailRoutes } from '../user-details/routes.ts';
import { userRoutes } from './routes.ts';

const app = await useFeatureApp([
  serveRoutes(signInFeature, signInRoutes),
  serveRoutes(accessTokens, accessTokenRoutes),
  serveRoutes(apiKeys, apiKeyRoutes),
  serveRoutes(profile, profileRoutes),
  serveRoutes(usageRecords, usageRecordRoutes),
  serveRoutes(users, userRoutes),
  serveRoutes(secondFactor, secondFactorRoutes),
  serveRoutes(userDetails, userDetailRoutes),
]);
const root = await app.createUser('root');
const admin = await app.createUser('admin');
const byId = (id: number) => ({ params: { id: id as UserId } });

test('a new user gets the gift of the settings, as an entry of the ledger', async () => {
  await app.ctx.db.writer.insertInto('setting').values({ name: 'quotaForNewUser', value: '700' }).execute();
  await app.ctx.changes.publish({ topic: 'settings' });
  const created = await admin.api(users).create({ body: { username: 'gifted', password: 'long enough' } });
  expect(created).toMatchObject({ role: 'user', group: 'default', quota: 700 });
  await app.ctx.db.writer.deleteFrom('setting').execute();
  await app.ctx.changes.publish({ topic: 'settings' });
});

test('lists by role, status, group and the beginning of a name, sorted by balance', async () => {
  await app.createUser('user', { username: 'zoe-rich', quota: 900 });
  await app.createUser('user', { username: 'zoe-poor', quota: 5, group: 'vip' });
  const api = admin.api(users);
  const found = await api.list({ query: { keyword: 'ZOE', order: '-quota' } });
  expect(found.data.map((user) => user.username)).toEqual(['zoe-rich', 'zoe-poor']);
  expect(found.total_count).toBe(2);
  expect((await api.list({ query: { keyword: 'zoe', group: 'vip' } })).total_count).toBe(1);
  expect((await api.list({ query: { role: 'root' } })).data.map((user) => user.id)).toEqual([root.id]);
  expect((await api.list({ query: { keyword: '%' } })).total_count).toBe(0);
});

test('rejects changes, disabling and deletion of users with an equal or higher role', async () => {
  const otherAdmin = await app.createUser('admin');
  const api = admin.api(users);
  for (const target of [otherAdmin, root, admin]) {
    for (const attempt of [
      () => api.update({ body: { id: target.id, display_name: 'x' } }),
      () => api.manage({ body: { username: target.username, action: 'disable' } }),
      () => api.changeQuota({ ...byId(target.id), body: { quota: toPoints(5) } }),
      () => api.remove(byId(target.id)),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: 'not-allowed' });
  }
});

test('an administrator grants lower roles only, and no user can create a second root', async () => {
  const user = await app.createUser('user');
  const promote = admin.api(users).manage({ body: { username: user.username, action: 'promote' } });
  await expect(promote).rejects.toMatchObject({ code: 'invalid-input', fields: [{ path: 'role' }] });
  const created = admin.api(users).create({ body: { username: 'boss', password: 'long enough', role: 'admin' } });
  await expect(created).rejects.toMatchObject({ fields: [{ path: 'role' }] });
  const second = root.api(users).update({ body: { id: user.id, role: 'root' } });
  await expect(second).rejects.toMatchObject({ fields: [{ path: 'role' }] });
  const promoted = await root.api(users).manage({ body: { username: user.username, action: 'promote' } });
  expect(promoted.role).toBe('admin');
});

test('root cannot be disabled, demoted or deleted, not even by itself', async () => {
  const api = root.api(users);
  for (const action of ['disable', 'demote', 'delete'] as const) {
    const attempt = api.manage({ body: { username: root.username, action } });
    await expect(attempt).rejects.toMatchObject({ code: 'not-allowed' });
  }
});

test('a disabled user loses access at once', async () => {
  const user = await app.createUser('user');
  await admin.api(users).manage({ body: { username: user.username, action: 'disable' } });
  expect((await user.fetch('/api/user/self')).status).toBe(401);
  await admin.api(users).manage({ body: { username: user.username, action: 'enable' } });
  expect((await user.fetch('/api/user/self')).status).toBe(401);
});

test('a password that an administrator sets ends the sessions of the user', async () => {
  const user = await app.createUser('user');
  await admin.api(users).update({ body: { id: user.id, password: 'set by the admin' } });
  expect((await user.fetch('/api/user/self')).status).toBe(401);
});

test('a deleted user is out, its tokens are disabled and its name is free', async () => {
  const user = await app.createUser('user', { username: 'leaving' });
  const key = await user.api(apiKeys).create({ body: { name: 'key' } });
  await admin.api(users).remove(byId(user.id));
  expect((await user.fetch('/api/user/self')).status).toBe(401);
  const row = await app.ctx.db.writer
    .selectFrom('api_key')
    .select(['status', 'key_sealed'])
    .where('id', '=', key.id)
    .executeTakeFirstOrThrow();
  expect(row).toEqual({ status: 'disabled', key_sealed: '' });
  await expect(admin.api(users).get(byId(user.id))).rejects.toMatchObject({ code: 'not-found' });
  await app.createUser('user', { username: 'leaving' });
});

test('a correction moves points through the ledger and leaves a record', async () => {
  const user = await app.createUser('user', { quota: 100 });
  const add = { ...byId(user.id), body: { quota: toPoints(50), remark: 'goodwill' } };
  expect((await admin.api(users).changeQuota(add)).quota).toBe(150);
  const records = await admin.api(usageRecords).list({ query: { user_id: user.id } });
  expect(records.data).toMatchObject([
    { type: 'manage', quota: 50, content: 'goodwill' },
    { type: 'top-up', quota: 100 },
  ]);
});

test('never takes more than the balance', async () => {
  const user = await app.createUser('user', { quota: 100 });
  const deduct = (quota: number) =>
    admin.api(users).changeQuota({ ...byId(user.id), body: { quota: toPoints(quota) } });
  await expect(deduct(-101)).rejects.toMatchObject({
    code: 'insufficient-balance',
    status: 402,
    message: '101 points cannot be deducted: only 100 of the balance are available.',
  });
  expect((await deduct(-100)).quota).toBe(0);
});

test('a repeated correction with the same Idempotency-Key moves points once', async () => {
  const user = await app.createUser('user', { quota: 100 });
  const change = (key: string, quota: number) =>
    admin.fetch(`/api/user/quota/${user.id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ quota }),
    });
  const answers = await Promise.all([change('order-1', 20), change('order-1', 20), change('order-1', 20)]);
  for (const answer of answers) expect(answer.status).toBe(200);
  expect((await user.api(profile).get()).quota).toBe(120);
  const other = await change('order-1', 30);
  expect([other.status, await other.json()]).toEqual([
    409,
    expect.objectContaining({ message: 'This Idempotency-Key was used for a different request. Use a new key.' }),
  ]);
  await change('order-0', 1000);
  const again = (await (await change('order-1', 20)).json()) as { data: { quota: number } };
  expect(again.data.quota).toBe(120);
  await change('order-minus', -1000);
  expect((await change('order-2', 20)).status).toBe(200);
  expect((await user.api(profile).get()).quota).toBe(140);
});

test('a balance beyond the exact range is refused, and nothing changes', async () => {
  const user = await app.createUser('user', { quota: 100 });
  const response = await admin.fetch(`/api/user/quota/${user.id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ quota: Number.MAX_SAFE_INTEGER }),
  });
  expect(response.status).toBe(400);
  expect((await user.api(profile).get()).quota).toBe(100);
});

test('every administrative write is in the audit log, without passwords', async () => {
  const user = await app.createUser('user');
  await admin.api(users).update({ body: { id: user.id, password: 'must not be kept' } });
  const entries = await app.ctx.db.writer
    .selectFrom('audit_entry')
    .selectAll()
    .where('target', '=', `user:${user.id}`)
    .where('user_id', '=', admin.id)
    .execute();
  expect(entries.map((entry) => entry.action)).toEqual(['user.update']);
  expect(JSON.stringify(entries)).not.toContain('must not be kept');
});

test('after all this every balance is the sum of its entries', async () => {
  expect((await verifyLedger(app.ctx.db.writer)).problems).toEqual([]);
});

test('rejects a change of the caller’s own email address through user management, also for root and its tokens', async () => {
  const { token } = await root
    .api(accessTokens)
    .create({ body: { name: 'people', scopes: ['users.write'], read_only: false, expires_time: 0 } });
  for (const who of [root, createVisitor(app.url, { authorization: token })]) {
    const change = who.api(users).update({ body: { id: root.id, email: 'thief@example.org' } });
    await expect(change).rejects.toMatchObject({ code: 'not-allowed' });
  }
  expect(await root.api(users).update({ body: { id: root.id, email: '' } })).toMatchObject({ email: '' });
});

/** Waits until so many changes have read the account and continued as far as they can. */
async function hasRead({ id }: SignedInUser, changes: number): Promise<void> {
  const query = vi.spyOn(app.ctx.db.writer.getExecutor(), 'executeQuery');
  onTestFinished(() => query.mockRestore());
  const reads = () => query.mock.calls.filter(([{ parameters }]) => parameters.includes(id)).length;
  await expect.poll(reads, { interval: 1 }).toBeGreaterThanOrEqual(changes);
  for (let turns = 0; turns < 20; turns += 1) await setImmediate();
}

test('a user who is deleted during a change of the account stays deleted', async () => {
  const user = await app.createUser('user');
  const { id } = user;
  const password = 'too late for this one';
  // The changes have read the account, and wait for their turn to hash.
  const busy = Array.from({ length: 6 }, () => hashPassword('something else', 'known'));
  const settled = Promise.allSettled([
    ...busy,
    user.api(profile).update({ body: { password, current_password: user.password } }),
    admin.api(users).update({ body: { id, password, status: 'enabled' } }),
  ]);
  await hasRead(user, 2);
  await admin.api(users).remove({ params: { id } });
  await settled;
  const row = await app.ctx.db.writer
    .selectFrom('user')
    .select(['deleted_time', 'password_hash', 'status'])
    .where('id', '=', id)
    .executeTakeFirst();
  expect(row).toEqual({ deleted_time: expect.any(Number), password_hash: '', status: 'disabled' });
});

test('a name in capitals of any alphabet signs in, and is taken only once', async () => {
  const account = { username: 'МОСКВА', password: 'a rather good one' };
  await admin.api(users).create({ body: account });
  const again = admin.api(users).create({ body: account });
  await expect(again).rejects.toMatchObject({ code: 'already-exists', fields: [{ path: 'username' }] });
  expect(await signIn(app.url, account.username, account.password)).toHaveProperty('cookie');
});

test.each(['ro\u200bot', 'ad\u202emin', 'bell\u0007', 'half\ud800'])(
  'a name with something that cannot be seen is refused: %j',
  async (username) => {
    const created = await admin.fetch('/api/user/', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password: 'a rather good one' }),
    });
    expect(await created.json()).toMatchObject({ code: 'invalid-input', fields: [{ path: 'username' }] });
  },
);

test('does not set a queued password for a user who has become an administrator in the meantime', async () => {
  const user = await app.createUser('user');
  const busy = Array.from({ length: 6 }, () => hashPassword('something else', 'known'));
  const change = admin.api(users).update({ body: { id: user.id, password: 'known to another' } });
  const refused = expect(change).rejects.toMatchObject({ code: 'conflict' });
  await hasRead(user, 1);
  await root.api(users).update({ body: { id: user.id, role: 'admin' } });
  await Promise.all([refused, ...busy]);
  expect(await signIn(app.url, user.username, user.password)).toHaveProperty('cookie');
});

test('an address that is confirmed while an administrator enters another one confirms only itself', async () => {
  const user = await app.createUser('user');
  const setAddress = (email: string, email_verified_time: number | null) =>
    app.ctx.db.writer.updateTable('user').set({ email, email_verified_time }).where('id', '=', user.id).execute();
  await setAddress('entered@example.org', null);
  const busy = Array.from({ length: 6 }, () => hashPassword('something else', 'known'));
  const body = { id: user.id, password: 'set by the admin', email: 'entered@example.org' };
  const change = admin.api(users).update({ body });
  await hasRead(user, 1);
  await setAddress('confirmed@example.org', 1);
  await Promise.all([change, ...busy]);
  const row = await app.ctx.db.writer
    .selectFrom('user')
    .select(['email', 'email_verified_time'])
    .where('id', '=', user.id)
    .executeTakeFirst();
  expect(row).toEqual({ email: 'entered@example.org', email_verified_time: null });
});

test.each(['password1', 'ADMIN123', 'Switchyard'])('staff can set no common password: %s', async (password) => {
  const user = await app.createUser('user');
  const refusal = { code: 'invalid-input', fields: [{ path: 'password', rule: 'common' }] };
  for (const attempt of [
    () => admin.api(users).create({ body: { username: 'common', password } }),
    () => admin.api(users).update({ body: { id: user.id, password } }),
  ])
    await expect(attempt()).rejects.toMatchObject(refusal);
  expect(await signIn(app.url, user.username, user.password)).toHaveProperty('cookie');
});

test('accounts of staff are made, changed and removed only after a confirmation, and by no access token', async () => {
  const [target, customer] = [await app.createUser('admin'), await app.createUser('user')];
  const token = createVisitor(app.url, { authorization: await root.api(accessTokens).replace() });
  const attempts = (who: Visitor) => [
    () => who.api(users).create({ body: { username: 'boss', password: 'long enough', role: 'admin' } }),
    () => who.api(users).update({ body: { id: customer.id, role: 'admin' } }),
    () => who.api(users).update({ body: { id: target.id, password: 'of an intruder' } }),
    () => who.api(users).manage({ body: { username: target.username, action: 'disable' } }),
    () => who.api(users).remove({ params: { id: target.id } }),
  ];
  for (const attempt of attempts(token)) await expect(attempt()).rejects.toMatchObject({ code: 'not-allowed' });
  app.clock.advance(601);
  for (const attempt of attempts(root)) await expect(attempt()).rejects.toMatchObject({ code: 'step-up-required' });
  expect(await token.api(users).update({ body: { id: customer.id, display_name: 'by script' } })).toMatchObject({
    display_name: 'by script',
  });
  await root.api(profile).stepUp({ body: { password: root.password } });
  expect((await root.api(users).update({ body: { id: customer.id, role: 'admin' } })).role).toBe('admin');
});
