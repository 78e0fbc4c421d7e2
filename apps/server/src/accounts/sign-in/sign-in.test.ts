import { profile } from '@switchyard/contract/accounts/profile';
import { signIn } from '@switchyard/contract/accounts/sign-in';
import { users } from '@switchyard/contract/accounts/users';
import { expect, onTestFinished, test } from 'vitest';
import { setOptions } from '../../testing/set-options.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { createVisitor } from '../../testing/visitor.ts';
import { profileRoutes } from '../profile/routes.ts';
import { userRoutes } from '../users/routes.ts';
import { signInRoutes } from './routes.ts';

const app = await useFeatureApp([
  serveRoutes(profile, profileRoutes),
  serveRoutes(signIn, signInRoutes),
  serveRoutes(users, userRoutes),
]);
const root = await app.createUser('root');
const user = await app.createUser('user');

const tryToSignIn = (username: string, password: string): Promise<Response> =>
  app.anonymous.fetch('/api/user/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });

test('a password opens a session that scripts cannot read', async () => {
  const response = await tryToSignIn(user.username, user.password);
  expect(response.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Lax/);
  expect(await response.json()).toMatchObject({ success: true, data: { username: user.username, role: 1 } });
});

test('an unknown name, a wrong password and a disabled account get the same answer', async () => {
  const disabled = await app.createUser('user');
  await root.api(users).manage({ body: { username: disabled.username, action: 'disable' } });
  const answers = await Promise.all(
    [
      tryToSignIn('nobody-at-all', 'wrong password'),
      tryToSignIn(user.username, 'wrong password'),
      tryToSignIn(disabled.username, disabled.password),
    ].map(async (answer) => {
      const { request_id: _unique, ...body } = (await (await answer).json()) as Record<string, unknown>;
      return { status: (await answer).status, body };
    }),
  );
  expect(answers[0]).toMatchObject({ status: 400, body: { success: false, code: 'wrong-credentials' } });
  expect(answers[1]).toEqual(answers[0]);
  expect(answers[2]).toEqual(answers[0]);
});

test('a user is found by name, regardless of its case, and by a mail address that one account has', async () => {
  await root.api(users).update({ body: { id: user.id, email: 'Mail@Example.com' } });
  expect((await tryToSignIn(user.username.toUpperCase(), user.password)).status).toBe(200);
  expect((await tryToSignIn('mail@example.com', user.password)).status).toBe(200);
  const other = await app.createUser('user');
  await root.api(users).update({ body: { id: other.id, email: 'mail@example.com' } });
  expect((await tryToSignIn('mail@example.com', user.password)).status).toBe(400);
});

test('signing in replaces the session that the browser had', async () => {
  const first = await app.createUser('user');
  const again = await first.fetch('/api/user/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: first.username, password: first.password }),
  });
  const cookie = again.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  expect(cookie).not.toBe(first.identity['cookie']);
  expect((await first.fetch('/api/user/self')).status).toBe(401);
  expect((await createVisitor(app.url, { cookie }).fetch('/api/user/self')).status).toBe(200);
});

test('signing out ends the session, and another site cannot cause it', async () => {
  const guest = await app.createUser('user');
  const fromElsewhere = await guest.fetch('/api/user/logout', { headers: { origin: 'https://evil.example' } });
  expect(fromElsewhere.status).toBe(403);
  expect((await guest.fetch('/api/user/self')).status).toBe(200);
  await guest.api(signIn).signOut();
  expect((await guest.fetch('/api/user/self')).status).toBe(401);
});

test('a session ends after a week of rest and after thirty days of use', async () => {
  const guest = await app.createUser('user');
  app.clock.advance(6 * 24 * 3600);
  expect((await guest.api(profile).get()).username).toBe(guest.username);
  app.clock.advance(8 * 24 * 3600);
  expect((await guest.fetch('/api/user/self')).status).toBe(401);
});

test('the browser gets its name with the first try, right or wrong, and keeps it', async () => {
  const failed = await tryToSignIn('nobody-at-all', 'wrong password');
  expect(failed.headers.getSetCookie()).toEqual([expect.stringMatching(/^switchyard_device=[\w-]{43}; .*HttpOnly/)]);
  const again = await user.fetch('/api/user/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: user.username, password: 'wrong password' }),
  });
  expect(again.headers.getSetCookie()).toEqual([]);
});

test('admits only root while passwords are switched off, and reveals nothing to others', async () => {
  await setOptions(app.ctx, {
    ServerAddress: 'https://gate.example',
    GitHubClientId: 'id',
    GitHubClientSecret: 'secret',
    GitHubOAuthEnabled: 'true',
    PasswordLoginEnabled: 'false',
  });
  onTestFinished(() => setOptions(app.ctx, { PasswordLoginEnabled: 'true', GitHubOAuthEnabled: 'false' }));
  const codeOf = async (username: string, password: string) =>
    ((await (await tryToSignIn(username, password)).json()) as { code?: string }).code;
  expect(await (await tryToSignIn(user.username, user.password)).json()).toMatchObject({
    code: 'switched-off',
    message: 'Password sign-in is disabled. Choose another method on the sign-in page.',
  });
  expect(await codeOf(user.username, 'wrong password')).toBe('switched-off');
  expect(await codeOf('nobody-at-all', 'wrong password')).toBe('switched-off');
  expect(await codeOf(root.username, 'wrong password')).toBe('switched-off');
  expect((await tryToSignIn(root.username, root.password)).status).toBe(200);
});
