import { permissionNames } from '@switchyard/contract/accounts/permissions';
import { profile } from '@switchyard/contract/accounts/profile';
import { staffRoles } from '@switchyard/contract/accounts/staff-roles';
import { users } from '@switchyard/contract/accounts/users';
import { channelKeys } from '@switchyard/contract/channels/channel-keys';
import { channelTests } from '@switchyard/contract/channels/channel-tests';
import { channels } from '@switchyard/contract/channels/channels';
import { usageRecords } from '@switchyard/contract/usage/usage-records';
import { expect, test } from 'vitest';
import { channelTestRoutes } from '../../channels/channel-tests/routes.ts';
import { channelKeyRoutes, channelRoutes } from '../../channels/registry/routes.ts';
import { setOptions } from '../../testing/set-options.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { usageRecordRoutes } from '../../usage/usage-records/routes.ts';
import { profileRoutes } from '../profile/routes.ts';
import { userRoutes } from '../users/routes.ts';
import { staffRoleRoutes } from './routes.ts';

const app = await useFeatureApp([
  serveRoutes(profile, profileRoutes),
  serveRoutes(staffRoles, staffRoleRoutes),
  serveRoutes(usageRecords, usageRecordRoutes),
  serveRoutes(users, userRoutes),
  serveRoutes(channels, channelRoutes),
  serveRoutes(channelKeys, channelKeyRoutes),
  serveRoutes(channelTests, channelTestRoutes),
]);
const root = await app.createUser('root');
const admin = await app.createUser('admin');

test('support reads users and logs and touches no money', async () => {
  const [support] = await root.api(staffRoles).list();
  if (support === undefined) throw new Error('no role is shipped');
  expect(support.name).toBe('Support');
  const member = await app.createUser('staff');
  expect((await member.api(profile).get()).rights).toEqual(['user']);
  await admin.api(users).update({ body: { id: member.id, staff_role: support.id } });
  expect((await member.api(profile).get()).rights).toEqual(['user', 'users.read', 'records.read', 'groups.read']);
  const customer = await app.createUser('user', { quota: 500 });
  expect((await member.api(users).get({ params: { id: customer.id } })).quota).toBe(500);
  expect((await member.api(usageRecords).list()).total_count).toBeGreaterThan(0);
  for (const attempt of [
    () => member.api(users).changeQuota({ params: { id: customer.id }, body: { quota: customer.id as never } }),
    () => member.api(users).update({ body: { id: customer.id, display_name: 'x' } }),
  ])
    await expect(attempt()).rejects.toMatchObject({ code: 'not-allowed' });
});

test('a role defines its members’ permissions at once, and none when they are no longer staff', async () => {
  const created = await root.api(staffRoles).create({ body: { name: 'Channels', permissions: ['channels.write'] } });
  expect(created.permissions).toEqual(['channels.read', 'channels.write', 'groups.read']);
  const member = await app.createUser('staff');
  await root.api(users).update({ body: { id: member.id, staff_role: created.id } });
  expect((await member.fetch('/api/channel/')).status).toBe(200);
  const params = { id: created.id };
  await root.api(staffRoles).update({ params, body: { name: 'Nothing', permissions: [] } });
  expect((await member.fetch('/api/channel/')).status).toBe(403);
  await root.api(staffRoles).update({ params, body: { name: 'All', permissions: [...permissionNames] } });
  expect((await member.fetch('/api/channel/')).status).toBe(200);
  await expect(root.api(staffRoles).remove({ params })).rejects.toMatchObject({ code: 'conflict' });
  await root.api(users).update({ body: { id: member.id, role: 'user' } });
  expect(
    (
      await member
        .api(profile)
        .get()
        .catch(() => undefined)
    )?.rights ?? [],
  ).not.toContain('users.read');
});

test('staff with every permission act on users only, and define no roles', async () => {
  const role = await root.api(staffRoles).create({ body: { name: 'Everything', permissions: [...permissionNames] } });
  const member = await app.createUser('staff');
  await root.api(users).update({ body: { id: member.id, staff_role: role.id } });
  const colleague = await app.createUser('staff');
  for (const target of [colleague, admin, root, member]) {
    const attempt = member.api(users).update({ body: { id: target.id, display_name: 'x' } });
    await expect(attempt).rejects.toMatchObject({ code: 'not-allowed' });
  }
  const customer = await app.createUser('user');
  const promote = member.api(users).update({ body: { id: customer.id, role: 'staff' } });
  await expect(promote).rejects.toMatchObject({ fields: [{ path: 'role' }] });
  const define = admin.api(staffRoles).create({ body: { name: 'Mine', permissions: [] } });
  await expect(define).rejects.toMatchObject({ code: 'not-allowed' });
});

test.each([
  [['users.write'], 0],
  [['users.write', 'balances.write'], 700],
] as const)('accounts that staff with %j create begin with %i points', async (permissions, points) => {
  await setOptions(app.ctx, { QuotaForNewUser: '700' });
  const name = permissions.join(' and ');
  const role = await root.api(staffRoles).create({ body: { name, permissions: [...permissions] } });
  const member = await app.createUser('staff');
  await root.api(users).update({ body: { id: member.id, staff_role: role.id } });
  const username = `made-with-${permissions.length}`;
  const created = await member.api(users).create({ body: { username, password: 'long enough' } });
  await setOptions(app.ctx, { QuotaForNewUser: '0' });
  expect(created.quota).toBe(points);
  expect(await app.ctx.ledger.readAvailable(created.id)).toBe(points);
});

test('names are unique and an unknown role cannot be given', async () => {
  const twice = root.api(staffRoles).create({ body: { name: 'Support', permissions: [] } });
  await expect(twice).rejects.toMatchObject({ code: 'already-exists' });
  const member = await app.createUser('staff');
  const unknown = admin.api(users).update({ body: { id: member.id, staff_role: 999 as never } });
  await expect(unknown).rejects.toMatchObject({ fields: [{ path: 'staff_role' }] });
});

test('staff cannot grant a staff role, not even to a pending promotion', async () => {
  const role = await root.api(staffRoles).create({ body: { name: 'All of it', permissions: [...permissionNames] } });
  const [member, accomplice] = await Promise.all([app.createUser('staff'), app.createUser('user')]);
  await admin.api(users).update({ body: { id: member.id, staff_role: role.id } });
  const plant = member.api(users).update({ body: { id: accomplice.id, staff_role: role.id } });
  await expect(plant).rejects.toMatchObject({ code: 'invalid-input' });
  await admin.api(users).update({ body: { id: accomplice.id, staff_role: role.id } });
  expect(await member.api(users).update({ body: { id: accomplice.id, staff_role: null } })).toMatchObject({
    staff_role: null,
  });
});
