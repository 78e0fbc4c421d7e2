import { signIn } from '@switchyard/contract/accounts/sign-in';
import { expect, test } from 'vitest';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { signInRoutes } from './routes.ts';

const app = await useFeatureApp([serveRoutes(signIn, signInRoutes)], { config: { trustedProxies: ['127.0.0.1'] } });

async function signInFrom(address: string, role: 'user' | 'admin', https: boolean): Promise<string> {
  const { username, password } = await app.createUser(role);
  const response = await app.anonymous.fetch('/api/user/login', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-forwarded-for': address,
      'x-forwarded-proto': https ? 'https' : 'http',
    },
    body: JSON.stringify({ username, password }),
  });
  const { code = 'signed-in' } = (await response.json()) as { code?: string };
  return code;
}

test('staff sign in over plain HTTP from this machine only; users from anywhere', async () => {
  expect(await signInFrom('203.0.113.7', 'admin', false)).toBe('insecure-connection');
  expect(await signInFrom('203.0.113.7', 'admin', true)).toBe('signed-in');
  expect(await signInFrom('127.0.0.1', 'admin', false)).toBe('signed-in');
  expect(await signInFrom('203.0.113.7', 'user', false)).toBe('signed-in');
});

test('reports a wrong password before the insecure connection, so that it does not reveal staff accounts', async () => {
  const { username } = await app.createUser('admin');
  const response = await app.anonymous.fetch('/api/user/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.7' },
    body: JSON.stringify({ username, password: 'wrong password' }),
  });
  expect(await response.json()).toMatchObject({ code: 'wrong-credentials' });
});
