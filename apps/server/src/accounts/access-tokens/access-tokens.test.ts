import { accessTokens } from '@switchyard/contract/accounts/access-tokens';
import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import type { Right } from '@switchyard/contract/accounts/permissions';
import { profile } from '@switchyard/contract/accounts/profile';
import { secondFactor } from '@switchyard/contract/accounts/second-factor';
import { userDetails } from '@switchyard/contract/accounts/user-details';
import { users } from '@switchyard/contract/accounts/users';
import { expect, test } from 'vitest';
import type { SignedInUser } from '../../testing/create-user.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { createVisitor, type Visitor } from '../../testing/visitor.ts';
import { apiKeyRoutes } from '../api-keys/routes.ts';
import { profileRoutes } from '../profile/routes.ts';
import { secondFactorRoutes } from '../second-factor/routes.ts';
import { userDetailRoutes } from '../user-details/routes.ts';
import { userRoutes } from '../users/routes.ts';
import { accessTokenRoutes } from './routes.ts';

const app = await useFeatureApp([
  serveRoutes(accessTokens, accessTokenRoutes),
  serveRoutes(apiKeys, apiKeyRoutes),
  serveRoutes(profile, profileRoutes),
  serveRoutes(users, userRoutes),
  serveRoutes(secondFactor, secondFactorRoutes),
  serveRoutes(userDetails, userDetailRoutes),
]);

async function tokenOf(
  owner: SignedInUser,
  options: { scopes?: Right[]; read_only?: boolean; expires_time?: number } = {},
): Promise<Visitor> {
  const body = { name: 'script', scopes: ['user' as const], read_only: false, expires_time: 0, ...options };
  const { token } = await owner.api(accessTokens).create({ body });
  return createVisitor(app.url, { authorization: `Bearer ${token}` });
}

test('a token has its own rights only, and none of the others of its owner', async () => {
  const admin = await app.createUser('admin');
  const reader = await tokenOf(admin, { scopes: ['users.read'] });
  expect((await reader.api(users).list()).total_count).toBeGreaterThan(0);
  const write = reader.api(users).create({ body: { username: 'made', password: 'long enough' } });
  await expect(write).rejects.toMatchObject({ code: 'not-allowed' });
  await expect(reader.api(apiKeys).list()).rejects.toMatchObject({ code: 'not-allowed' });
});

test('a token that only reads changes nothing', async () => {
  const user = await app.createUser('user');
  const reader = await tokenOf(user, { read_only: true });
  expect((await reader.api(profile).get()).id).toBe(user.id);
  const write = reader.api(profile).update({ body: { display_name: 'changed' } });
  await expect(write).rejects.toMatchObject({ code: 'not-allowed' });
});

test('an access token has at most its owner’s rights, and cannot create another one', async () => {
  const user = await app.createUser('user');
  for (const scope of ['users.read', 'root'] as const)
    await expect(tokenOf(user, { scopes: ['user', scope] })).rejects.toMatchObject({
      fields: [{ path: 'scopes', message: `You lack the permissions ${scope}. Choose only your own.` }],
    });
  const token = await tokenOf(user);
  const body = { name: 'child', scopes: ['user' as const], read_only: false, expires_time: 0 };
  await expect(token.api(accessTokens).create({ body })).rejects.toMatchObject({ code: 'not-allowed' });
  await expect(token.api(accessTokens).replace()).rejects.toMatchObject({ code: 'not-allowed' });
});

test('a token loses a right as soon as its owner does', async () => {
  const root = await app.createUser('root');
  const admin = await app.createUser('admin');
  const token = await tokenOf(admin, { scopes: ['user', 'users.read'] });
  expect((await token.fetch('/api/user/')).status).toBe(200);
  await root.api(users).manage({ body: { username: admin.username, action: 'demote' } });
  expect((await token.fetch('/api/user/')).status).toBe(403);
  await root.api(users).manage({ body: { username: admin.username, action: 'disable' } });
  expect((await token.fetch('/api/user/self')).status).toBe(401);
});

test('an access token ends when it expires, or when its owner revokes it, and no other user can revoke it', async () => {
  const user = await app.createUser('user');
  const now = Math.floor(app.clock.now() / 1000);
  await expect(tokenOf(user, { expires_time: now - 1 })).rejects.toMatchObject({ fields: [{ path: 'expires_time' }] });
  const short = await tokenOf(user, { expires_time: now + 60 });
  const long = await tokenOf(user);
  app.clock.advance(61);
  expect((await short.fetch('/api/user/self')).status).toBe(401);
  expect((await long.fetch('/api/user/self')).status).toBe(200);
  const listed = await user.api(accessTokens).list();
  expect(listed.map(({ name, scopes }) => [name, scopes])).toEqual([
    ['script', ['user']],
    ['script', ['user']],
  ]);
  const id = listed.find(({ expires_time }) => expires_time === 0)?.id;
  if (id === undefined) throw new Error('the token is not listed');
  const stranger = await app.createUser('user');
  const foreign = stranger.api(accessTokens).remove({ params: { id } });
  await expect(foreign).rejects.toMatchObject({ code: 'not-found' });
  await user.api(accessTokens).remove({ params: { id } });
  expect((await long.fetch('/api/user/self')).status).toBe(401);
});

test('the route of other gateways makes one token with all rights, and the next one replaces it', async () => {
  const user = await app.createUser('user');
  const first = createVisitor(app.url, { authorization: await user.api(accessTokens).replace() });
  expect((await first.api(profile).get()).id).toBe(user.id);
  expect(await user.api(accessTokens).list()).toMatchObject([{ name: '', scopes: null, read_only: false }]);
  await user.api(accessTokens).replace();
  expect((await first.fetch('/api/user/self')).status).toBe(401);
});
