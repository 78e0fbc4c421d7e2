import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import { passkeys } from '@switchyard/contract/accounts/passkeys';
import { profile } from '@switchyard/contract/accounts/profile';
import { secondFactor } from '@switchyard/contract/accounts/second-factor';
import { signIn as signInFeature } from '@switchyard/contract/accounts/sign-in';
import { userDetails } from '@switchyard/contract/accounts/user-details';
import { users } from '@switchyard/contract/accounts/users';
import { toPoints } from '@switchyard/contract/money';
import { audit } from '@switchyard/contract/operations/audit';
import { dashboard } from '@switchyard/contract/usage/dashboard';
import { expect, test } from 'vitest';
import { auditRoutes } from '../../operations/audit/routes.ts';
import { insertUsageRecords } from '../../testing/insert-usage-records.ts';
import { addTotp } from '../../testing/second-factors.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { createVisitor, signIn } from '../../testing/visitor.ts';
import { dashboardRoutes } from '../../usage/dashboard/routes.ts';
import { apiKeyRoutes } from '../api-keys/routes.ts';
import { passkeyRoutes } from '../passkeys/routes.ts';
import { profileRoutes } from '../profile/routes.ts';
import { secondFactorRoutes } from '../second-factor/routes.ts';
import { signInRoutes } from '../sign-in/routes.ts';
import { userRoutes } from '../users/routes.ts';
import { userDetailRoutes } from './routes.ts';

const app = await useFeatureApp([
  serveRoutes(signInFeature, signInRoutes),
  serveRoutes(secondFactor, secondFactorRoutes),
  serveRoutes(passkeys, passkeyRoutes),
  serveRoutes(apiKeys, apiKeyRoutes),
  serveRoutes(audit, auditRoutes),
  serveRoutes(dashboard, dashboardRoutes),
  serveRoutes(profile, profileRoutes),
  serveRoutes(userDetails, userDetailRoutes),
  serveRoutes(users, userRoutes),
]);
const root = await app.createUser('root');
const admin = await app.createUser('admin');
const api = admin.api(userDetails);

test('the balance history pages back from the current balance and names who adjusted it', async () => {
  const user = await app.createUser('user', { quota: 1_000 });
  const params = { id: user.id };
  app.clock.advance(1);
  for (const quota of [5, -7, 11, 13])
    await admin.api(users).changeQuota({ params, body: { quota: toPoints(quota), remark: `by ${quota}` } });
  await insertUsageRecords(app.ctx, user.id, [{ request_id: 'a-call', quota: 100, prompt_tokens: 1 }]);
  const read = (query: { before?: string; size?: number; charges?: 'true' } = {}) =>
    api.balanceHistory({ params, query: { ...query, charges: query.charges === 'true' } });
  const { entries, more } = await read();
  expect(more).toBe(false);
  const now = (await admin.api(users).get({ params })).quota;
  const charges = (await read({ charges: 'true' })).entries.filter(({ kind }) => kind === 'charge');
  const charged = charges.reduce((sum, { amount }) => sum + amount, 0);
  expect(entries[0]?.balance_after).toBe(now - charged);
  expect(
    entries
      .slice(0, 4)
      .map(({ amount }) => amount)
      .toSorted((a, b) => a - b),
  ).toEqual([-7, 5, 11, 13]);
  expect(entries.filter(({ by }) => by?.id === admin.id).map(({ remark }) => remark)).toHaveLength(4);
  for (const [index, entry] of entries.entries()) {
    const older = entries[index + 1];
    expect(entry.balance_after - entry.amount).toBe(older?.balance_after ?? 0);
  }
  const first = await read({ size: 2 });
  expect(first.more).toBe(true);
  const second = await read({ size: 50, before: first.entries[1]?.id ?? '' });
  expect([...first.entries, ...second.entries]).toEqual(entries);
});

test('rejects a page cursor of another user’s entry', async () => {
  const [one, other] = [await app.createUser('user', { quota: 5 }), await app.createUser('user', { quota: 7 })];
  const { entries } = await api.balanceHistory({ params: { id: other.id } });
  const before = entries[0]?.id ?? '';
  expect(before).not.toBe('');
  for (const cursor of [before, 'nonsense', ':', 'charge:'])
    expect((await api.balanceHistory({ params: { id: one.id }, query: { before: cursor } })).entries).toEqual([]);
});

test('sessions are seen and ended, one or all, and each end is written down', async () => {
  const user = await app.createUser('user');
  const other = createVisitor(app.url, await signIn(app.url, user.username, user.password));
  const params = { id: user.id };
  const sessions = await api.sessions({ params });
  expect(sessions).toHaveLength(2);
  expect(sessions[0]).toMatchObject({ address: '127.0.0.1', method: 'password' });
  const current = (await other.api(profile).listSessions()).find((session) => session.current);
  await api.endSession({ params: { ...params, session: current?.id ?? '' } });
  await expect(other.api(profile).get()).rejects.toMatchObject({ code: 'not-signed-in' });
  expect(await user.api(profile).get()).toMatchObject({ id: user.id });
  const stranger = (await root.api(profile).listSessions())[0]?.id ?? '';
  await expect(api.endSession({ params: { ...params, session: stranger } })).rejects.toMatchObject({
    code: 'not-found',
    message: 'This session has already ended. Reload the list.',
  });
  await api.endSessions({ params });
  await expect(user.api(profile).get()).rejects.toMatchObject({ code: 'not-signed-in' });
  const { data } = await root.api(audit).list({ query: { about_user: user.id } });
  expect(data.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['user.end-session', 'user.end-sessions', 'session.start']),
  );
});

test('shows sign-in methods by type only', async () => {
  const user = await app.createUser('user');
  await addTotp(user, () => app.clock.now());
  const ways = await api.signInWays({ params: { id: user.id } });
  expect(ways).toEqual({
    password: true,
    email_verified: false,
    identities: [],
    passkeys: 0,
    totp: true,
    recovery_codes_left: expect.any(Number),
  });
});

test('hides the details of users with an equal or higher role', async () => {
  const equal = await app.createUser('admin');
  for (const { id } of [equal, root, admin]) {
    const params = { id };
    for (const look of [
      () => api.balanceHistory({ params }),
      () => api.signInWays({ params }),
      () => api.sessions({ params }),
      () => api.endSessions({ params }),
      () => api.endSession({ params: { ...params, session: 'any' } }),
      () => admin.api(apiKeys).listOf({ params }),
    ])
      await expect(look()).rejects.toMatchObject({ code: 'not-allowed' });
  }
});

test('a user with a higher role sees tokens without their text, and disables and enables them', async () => {
  const user = await app.createUser('user');
  const created = await user.api(apiKeys).create({ body: { name: 'mine' } });
  const params = { id: created.id };
  const listed = () => admin.api(apiKeys).listOf({ params: { id: user.id } });
  const [seen] = await listed();
  expect(seen).toMatchObject({ name: 'mine', status: 'exhausted' });
  expect(JSON.stringify(seen)).not.toContain(created.key.slice(-4));
  await admin.api(apiKeys).switch({ params, body: { status: 'disabled' } });
  expect((await listed())[0]).toMatchObject({ status: 'disabled' });
  await admin.api(apiKeys).switch({ params, body: { status: 'enabled' } });
  expect((await listed())[0]).toMatchObject({ status: 'exhausted' });
  const ofRoot = await root.api(apiKeys).create({ body: { name: 'root’s' } });
  const reach = admin.api(apiKeys).switch({ params: { id: ofRoot.id }, body: { status: 'disabled' } });
  await expect(reach).rejects.toMatchObject({ code: 'not-allowed' });
});

test('only staff can enable a token that staff disabled', async () => {
  const user = await app.createUser('user');
  const own = user.api(apiKeys);
  const { id } = await own.create({ body: { name: 'abused', unlimited_quota: true } });
  const status = async () => (await own.get({ params: { id } })).status;
  await own.update({ body: { id, status: 'disabled' } });
  await own.update({ body: { id, status: 'enabled' } });
  await admin.api(apiKeys).switch({ params: { id }, body: { status: 'disabled' } });
  expect((await own.list({ query: { status: 'disabled' } })).data).toMatchObject([{ id, status: 'disabled' }]);
  const refusal = { code: 'not-allowed', fields: [{ rule: 'disabled-by-staff' }] };
  const enable = () => own.update({ query: { status_only: '1' }, body: { id, status: 'enabled' } });
  await expect(enable()).rejects.toMatchObject(refusal);
  await own.update({ body: { id, status: 'disabled', name: 'renamed' } });
  await own.rotate({ params: { id } });
  await expect(enable()).rejects.toMatchObject(refusal);
  expect(await status()).toBe('disabled');
  await admin.api(apiKeys).switch({ params: { id }, body: { status: 'enabled' } });
  expect(await status()).toBe('enabled');
  await own.update({ body: { id, status: 'disabled' } });
  expect((await enable()).status).toBe('enabled');
});

test('a user sees only the own usage, without its cost to the operator', async () => {
  const [one, other] = [await app.createUser('user'), await app.createUser('user')];
  const records = [{ request_id: 'of-one', quota: 12, prompt_tokens: 3 }];
  await insertUsageRecords(app.ctx, one.id, records);
  const read = (id: typeof one.id) => admin.api(dashboard).of({ params: { id } });
  expect((await read(one.id)).current).toMatchObject({ quota: 12, requests: 1, margin: null });
  expect((await read(other.id)).current).toMatchObject({ quota: 0, requests: 0 });
});
