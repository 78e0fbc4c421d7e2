import { accessTokens } from '@switchyard/contract/access-tokens';
import { profile } from '@switchyard/contract/profile';
import { expect, test } from 'vitest';
import { useTestApp } from '../../testing/use-test-app.ts';
import { signIn, visitor } from '../../testing/visitor.ts';

const app = await useTestApp();

test('a new password needs the present one and ends all other sessions', async () => {
  const user = await app.createUser('user');
  const elsewhere = visitor(app.url, await signIn(app.url, user.username, user.password));
  const password = 'another good one';
  const wrong = user.api(profile).update({ body: { password, current_password: 'not this' } });
  await expect(wrong).rejects.toMatchObject({
    code: 'wrong-password',
    fields: [{ path: 'current_password' }],
  });
  await user.api(profile).update({ body: { password, current_password: user.password } });
  expect((await user.fetch('/api/user/self')).status).toBe(200);
  expect((await elsewhere.fetch('/api/user/self')).status).toBe(401);
  expect(await signIn(app.url, user.username, password)).toHaveProperty('cookie');
});

test('names change alone; one in use is refused, whatever its case', async () => {
  const user = await app.createUser('user');
  const other = await app.createUser('user');
  const self = await user.api(profile).update({ body: { username: 'renamed', display_name: 'New name' } });
  expect(self).toMatchObject({ username: 'renamed', display_name: 'New name' });
  expect(await user.api(profile).update({ body: { display_name: '' } })).toMatchObject({ display_name: '' });
  const taken = user.api(profile).update({ body: { username: other.username.toUpperCase() } });
  await expect(taken).rejects.toMatchObject({ code: 'already-exists', fields: [{ path: 'username' }] });
  const asAddress = await user.fetch('/api/user/self', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'victim@example.com' }),
  });
  expect(asAddress.status).toBe(400);
});

test('an access token cannot confirm a password', async () => {
  const user = await app.createUser('user');
  const token = await user.api(accessTokens).replace();
  const byToken = visitor(app.url, { authorization: token }).api(profile);
  const stepUp = byToken.stepUp({ body: { password: user.password } });
  await expect(stepUp).rejects.toMatchObject({ code: 'not-allowed' });
});

test('sensitive actions need a password check of the last ten minutes', async () => {
  const user = await app.createUser('user');
  const api = user.api(profile);
  app.clock.advance(601);
  await expect(user.api(accessTokens).replace()).rejects.toMatchObject({ code: 'step-up-required' });
  await expect(api.stepUp({ body: { password: 'wrong' } })).rejects.toMatchObject({ code: 'wrong-password' });
  await api.stepUp({ body: { password: user.password } });
  expect(await user.api(accessTokens).replace()).toMatch(/^[\w-]{43}$/);
});

test('guessing the password through the password check is limited', async () => {
  const user = await app.createUser('user');
  const codes: string[] = [];
  for (let i = 0; i < 11; i += 1) {
    const tried = user.api(profile).stepUp({ body: { password: 'guess' } });
    await tried.catch((error: { code: string }) => codes.push(error.code));
  }
  expect(codes.at(-1)).toBe('too-many-requests');
});

test('lists own sessions and ends one of them, never one of somebody else', async () => {
  const user = await app.createUser('user');
  const other = await app.createUser('user');
  const elsewhere = visitor(app.url, await signIn(app.url, user.username, user.password));
  const sessions = await user.api(profile).listSessions();
  expect(new Set(sessions.map((session) => session.current))).toEqual(new Set([false, true]));
  const id = sessions.find((session) => !session.current)?.id ?? '';
  const foreign = other.api(profile).endSession({ params: { id } });
  await expect(foreign).rejects.toMatchObject({ code: 'not-found' });
  await user.api(profile).endSession({ params: { id } });
  expect((await elsewhere.fetch('/api/user/self')).status).toBe(401);
  expect((await user.fetch('/api/user/self')).status).toBe(200);
});
