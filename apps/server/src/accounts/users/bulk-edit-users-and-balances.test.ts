import { profile } from '@switchyard/contract/accounts/profile';
import { users } from '@switchyard/contract/accounts/users';
import { toPoints } from '@switchyard/contract/money';
import { expect, test } from 'vitest';
import { verifyLedger } from '../../ledger/ledger.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { profileRoutes } from '../profile/routes.ts';
import { userRoutes } from './routes.ts';

const app = await useFeatureApp([serveRoutes(profile, profileRoutes), serveRoutes(users, userRoutes)]);
const root = await app.createUser('root');
const admin = await app.createUser('admin');
const api = admin.api(users);
const people = (count: number, quota = 0) =>
  Promise.all(Array.from({ length: count }, () => app.createUser('user', { quota })));
const seen = (id: typeof root.id) => api.get({ params: { id } });

test('several users are changed at once; refused ones are named and unchanged', async () => {
  const [one, other] = await people(2);
  const ids = [one, other, admin, root].flatMap((user) => (user === undefined ? [] : [user.id]));
  const results = await api.edit({ body: { ids, edit: { do: 'disable' } } });
  expect(results).toEqual([
    { id: ids[0], username: one?.username, refusal: null },
    { id: ids[1], username: other?.username, refusal: null },
    { id: admin.id, username: admin.username, refusal: expect.objectContaining({ code: 'not-allowed' }) },
    { id: root.id, username: root.username, refusal: expect.objectContaining({ code: 'not-allowed' }) },
  ]);
  expect((await seen(one?.id ?? admin.id)).status).toBe('disabled');
  expect((await root.api(users).get({ params: { id: root.id } })).status).toBe('enabled');
});

test('a group, an end of all sessions and a deletion reach each of them', async () => {
  const [one, other] = await people(2);
  if (one === undefined || other === undefined) throw new Error('nobody');
  const ids = [one.id, other.id];
  await api.edit({ body: { ids, edit: { do: 'set-group', group: 'vip' } } });
  expect([(await seen(one.id)).group, (await seen(other.id)).group]).toEqual(['vip', 'vip']);
  const unknown = await api.edit({ body: { ids, edit: { do: 'set-group', group: 'none' } } });
  expect(unknown.map(({ refusal }) => refusal?.code)).toEqual(['invalid-input', 'invalid-input']);
  await api.edit({ body: { ids, edit: { do: 'sign-out' } } });
  await expect(one.api(profile).get()).rejects.toMatchObject({ code: 'not-signed-in' });
  await api.edit({ body: { ids, edit: { do: 'delete' } } });
  const again = await api.edit({ body: { ids: [one.id], edit: { do: 'delete' } } });
  expect(again).toEqual([{ id: one.id, username: '', refusal: expect.objectContaining({ code: 'not-found' }) }]);
});

test('a deduction takes from each who has enough, and nothing from the others; a repetition takes nothing more', async () => {
  const [rich] = await people(1, 100);
  const [poor] = await people(1, 10);
  if (rich === undefined || poor === undefined) throw new Error('nobody');
  const take = (idempotencyKey: string) =>
    api.changeQuotas({
      body: { ids: [rich.id, poor.id, root.id], quota: toPoints(-40), remark: 'a fee' },
      idempotencyKey,
    });
  const results = await take('once');
  expect(results.map(({ refusal }) => refusal?.code)).toEqual([undefined, 'insufficient-balance', 'not-allowed']);
  await take('once');
  expect([(await seen(rich.id)).quota, (await seen(poor.id)).quota]).toEqual([60, 10]);
  await take('twice');
  expect((await seen(rich.id)).quota).toBe(20);
  expect((await verifyLedger(app.ctx.db.writer)).problems).toEqual([]);
});

test('a bulk edit that includes privileged users requires a step-up', async () => {
  const staff = await app.createUser('staff');
  const [user] = await people(1);
  const ids = [user?.id ?? staff.id, staff.id];
  app.clock.advance(601);
  const attempt = api.edit({ body: { ids, edit: { do: 'disable' } } });
  await expect(attempt).rejects.toMatchObject({ code: 'step-up-required' });
  expect((await seen(ids[0] ?? staff.id)).status).toBe('enabled');
});

test('filters the list by balance, ledger discrepancies, creation and last activity; the export has the same rows', async () => {
  const group = { group: 'svip' };
  const debtor = await app.createUser('user', { ...group, quota: 3 });
  const wealthy = await app.createUser('user', { ...group, quota: 5_000 });
  await app.ctx.db.writer
    .insertInto('ledger_alarm')
    .values({ user_id: debtor.id, problem: 'balance', difference: 1, found_at: 1, acknowledged_at: null })
    .execute();
  await app.ctx.db.writer
    .updateTable('user')
    .set({ created_time: 1_000, last_login_time: 2_000 })
    .where('id', '=', wealthy.id)
    .execute();
  await app.ctx.db.writer
    .updateTable('user')
    .set({ last_login_time: nowSeconds(app.ctx.clock) })
    .where('id', '=', debtor.id)
    .execute();
  const found = async (query: Parameters<typeof api.list>[0]) =>
    (await api.list({ query: { ...query?.query, ...group } })).data.map(({ id }) => id);
  expect(await found({ query: { balance_max: 3 } })).toEqual([debtor.id]);
  expect(await found({ query: { balance_min: 4 } })).toEqual([wealthy.id]);
  expect(await found({ query: { alarmed: true } })).toEqual([debtor.id]);
  expect(await found({ query: { alarmed: false } })).toEqual([wealthy.id]);
  expect(await found({ query: { created_before: 1_001 } })).toEqual([wealthy.id]);
  expect(await found({ query: { created_after: 1_001 } })).toEqual([debtor.id]);
  expect(await found({ query: { seen_before: 2_001 } })).toEqual([wealthy.id]);
  expect(await found({ query: { seen_after: 2_001 } })).toEqual([debtor.id]);
  const bytes = Buffer.from(await (await admin.fetch('/api/user/csv?group=svip&balance_max=3')).arrayBuffer());
  // Marks the file as UTF-8 for spreadsheets.
  expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
  const csv = bytes.subarray(3).toString();
  expect(csv.split('\r\n').slice(1)).toEqual([expect.stringContaining(debtor.username), '']);
});
