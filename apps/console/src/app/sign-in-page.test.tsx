import { screen } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { showApp } from '../testing/render.tsx';
import { wireSite } from '../testing/samples.ts';
import { refuse, script, succeed } from '../testing/server.ts';

beforeEach(() => {
  script('get', '/api/user/self', () => refuse('not-signed-in', 401));
});

it('leads to registering and to a new password where the site offers them', async () => {
  script('get', '/api/status', () => succeed({ ...wireSite, password_reset: true }));
  const { user, router } = showApp('/login');
  await user.click(await screen.findByRole('link', { name: 'Forgot your password?' }));
  expect(await screen.findByRole('button', { name: 'Send link' })).toBeTruthy();
  expect(router.state.location.pathname).toBe('/reset');
  await user.click(screen.getByRole('link', { name: 'Back to sign-in' }));
  await user.click(await screen.findByRole('link', { name: 'Sign up' }));
  expect(await screen.findByRole('button', { name: 'Create account' })).toBeTruthy();
});

it('offers neither where the site does not', async () => {
  script('get', '/api/status', () => succeed({ ...wireSite, register_enabled: false }));
  showApp('/login');
  expect(await screen.findByLabelText('Password')).toBeTruthy();
  expect(screen.queryByRole('link', { name: 'Sign up' })).toBeNull();
  expect(screen.queryByRole('link', { name: 'Forgot your password?' })).toBeNull();
});
