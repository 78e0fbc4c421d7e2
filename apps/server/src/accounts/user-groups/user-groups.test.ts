import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import { userGroups } from '@switchyard/contract/accounts/user-groups';
import { users } from '@switchyard/contract/accounts/users';
import { expect, test } from 'vitest';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { apiKeyRoutes } from '../api-keys/routes.ts';
import { userRoutes } from '../users/routes.ts';
import { userGroupRoutes } from './routes.ts';
import { updateUserGroup } from './user-groups.ts';

const app = await useFeatureApp([
  serveRoutes(userGroups, userGroupRoutes),
  serveRoutes(users, userRoutes),
  serveRoutes(apiKeys, apiKeyRoutes),
]);
const admin = await app.createUser('admin');
const api = admin.api(userGroups);

test('a fresh installation has default, vip and svip', async () => {
  expect(await api.symbols()).toEqual(['default', 'vip', 'svip']);
});

test('keeps a ratio exactly and refuses a symbol that exists', async () => {
  const group = { symbol: 'partner', name: 'Partners', ratio: 0.1, public: true };
  const created = await api.create({ body: group });
  expect(created).toMatchObject({ ratio: 0.1, api_rate: 600, enable: true });
  const again = api.create({ body: group });
  await expect(again).rejects.toMatchObject({ code: 'already-exists', fields: [{ path: 'symbol' }] });
  const renamed = api.update({ body: { id: created.id, symbol: 'friend' } });
  await expect(renamed).rejects.toMatchObject({ code: 'invalid-input', fields: [{ path: 'symbol' }] });
  const changed = await api.update({ body: { id: created.id, symbol: 'partner', api_rate: 0 } });
  expect(changed).toMatchObject({ symbol: 'partner', name: 'Partners', ratio: 0.1, api_rate: 0, public: true });
});

test('default stays: it cannot be disabled or deleted', async () => {
  const { data } = await api.list({ query: { name: 'Default' } });
  const params = { id: data[0]?.id as never };
  await expect(api.toggle({ params })).rejects.toMatchObject({ code: 'conflict' });
  await expect(api.remove({ params })).rejects.toMatchObject({ code: 'conflict' });
});

test('every user sees enabled public groups and the own one, and no others', async () => {
  const member = await app.createUser('user', { group: 'svip' });
  expect(Object.keys(await app.anonymous.api(userGroups).map())).toEqual(['default', 'partner']);
  expect((await app.anonymous.api(userGroups).map())['default']).not.toHaveProperty('members');
  expect(Object.keys(await member.api(userGroups).map())).toEqual(['default', 'svip', 'partner']);
  const { data } = await api.list({ query: { name: 'Partners' } });
  await api.toggle({ params: { id: data[0]?.id as never } });
  expect(Object.keys(await app.anonymous.api(userGroups).map())).toEqual(['default']);
  const chosen = member.api(apiKeys).create({ body: { name: 'key', group: 'partner' } });
  const message = 'You cannot use the group partner. Use one of default, svip.';
  await expect(chosen).rejects.toMatchObject({ fields: [{ path: 'group', rule: 'unknown-group', message }] });
});

test('rejects the deletion of a group that is in use', async () => {
  const group = await api.create({ body: { symbol: 'used', name: 'Used' } });
  const member = await app.createUser('user', { group: 'used' });
  const remove = () => api.remove({ params: { id: group.id } });
  expect(await api.get({ params: { id: group.id } })).toMatchObject({ members: 1, tokens: 0, channels: 0 });
  const message = 'The group used is used by 1 user. Assign them another group first.';
  await expect(remove()).rejects.toMatchObject({ code: 'conflict', message });
  await admin.api(users).remove({ params: { id: member.id } });
  expect(await remove()).toBeNull();
});

test('lists the groups after an id, in the order of ids', async () => {
  const all = (await api.list({ query: { order: 'id', size: 100 } })).data.map(({ id }) => id);
  const [first, second] = all;
  const next = await api.list({ query: { order: 'id', size: 1, after_id: first } });
  expect(next.data.map(({ id }) => id)).toEqual([second]);
  expect((await api.list({ query: { after_id: all.at(-1) } })).data).toEqual([]);
});

test('a user cannot be put into a group that does not exist', async () => {
  const created = admin.api(users).create({ body: { username: 'lost', password: 'long enough', group: 'none' } });
  await expect(created).rejects.toMatchObject({ fields: [{ path: 'group', rule: 'unknown-group' }] });
});

test('concurrent changes of different fields of a group all stay', async () => {
  const { id } = await api.create({ body: { symbol: 'shared', name: 'Before' } });
  const changes = [{ ratio: 2 }, { name: 'After' }, { public: true }];
  await Promise.all(changes.map((change) => updateUserGroup(app.ctx, { id, ...change })));
  expect(await api.get({ params: { id } })).toMatchObject({ ratio: 2, name: 'After', public: true });
});
