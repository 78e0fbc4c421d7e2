import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { onSignedOut } from '../api.ts';
import { clearSession } from '../features/accounts/session/queries.ts';
import { refuse, script, succeed } from '../testing/mock-api-server.ts';
import { showApp } from '../testing/render.tsx';
import { wireNoFactor, wirePage, wireSelf, wireSelfOf, wireSite } from '../testing/wire-samples.ts';

beforeEach(() => {
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/user/second_factor', () => succeed(wireNoFactor));
  script('get', '/api/notice', () => succeed(''));
  script('get', '/api/home_page_content', () => succeed(''));
  script('get', '/api/user_group_map', () => succeed({}));
  script('get', '/api/user/models', () => succeed([]));
  script('get', '/api/token/', () => succeed(wirePage([])));
});

it('redirects a signed-out visitor to sign-in and back to the requested page', async () => {
  let signedIn = false;
  script('get', '/api/user/self', () => (signedIn ? succeed(wireSelf) : refuse('not-signed-in', 401)));
  const sent = script('post', '/api/user/login', () => {
    signedIn = true;
    return succeed(wireSelf);
  });
  const { user, router } = showApp('/panel/token?keyword=ci');
  await user.type(await screen.findByLabelText('Username or email'), 'ada');
  await user.type(screen.getByLabelText('Password'), 'secret');
  await user.click(screen.getAllByRole('button', { name: 'Sign in' }).at(-1) ?? document.body);
  expect(await screen.findByRole('heading', { name: 'Tokens' })).toBeTruthy();
  expect(router.state.location.href).toBe('/panel/token?keyword=ci');
  expect(sent[0]?.body).toEqual({ username: 'ada', password: 'secret' });
  expect(JSON.stringify(localStorage)).not.toContain('secret');
});

it('never leaves the console after signing in, whatever URL `next` contains', async () => {
  script('get', '/api/user/self', () => succeed(wireSelf));
  script('get', '/api/dashboard/self', () => refuse('unavailable', 503));
  const { router } = showApp('/login?next=https%3A%2F%2Fevil.example%2Fpanel%2F');
  await screen.findByRole('heading', { name: 'Dashboard' });
  expect(router.state.location.pathname).toBe('/panel/dashboard');
});

it('signs out when a response says that the session has ended', async () => {
  script('get', '/api/user/self', () => succeed(wireSelf));
  const { router, queryClient } = showApp('/panel/token');
  onSignedOut(() => clearSession(queryClient));
  await screen.findByRole('heading', { name: 'Tokens' });
  script('get', '/api/token/', () => refuse('not-signed-in', 401));
  await queryClient.invalidateQueries({ queryKey: ['api-keys'] });
  await screen.findByLabelText('Username or email');
  expect(router.state.location.href).toBe('/login?next=%2Fpanel%2Ftoken');
});

it('returns to the start page after signing out and forgets the user', async () => {
  script('get', '/api/user/self', () => succeed(wireSelf));
  const ended = script('get', '/api/user/logout', () => succeed(null));
  const { user, router } = showApp('/panel/token');
  await user.click(await screen.findByRole('button', { name: 'Account' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Sign out' }));
  expect(await screen.findByText('One API for every AI model')).toBeTruthy();
  expect(router.state.location.href).toBe('/');
  expect(ended).toHaveLength(1);
  expect(screen.queryByText('Ada')).toBeNull();
});

it('asks the server again when the first request failed', async () => {
  let down = true;
  script('get', '/api/user/self', () => (down ? refuse('unavailable', 503) : succeed(wireSelf)));
  const { user } = showApp('/panel/token');
  const retry = await screen.findByRole('button', { name: 'Try again' });
  down = false;
  await user.click(retry);
  expect(await screen.findByRole('heading', { name: 'Tokens' })).toBeTruthy();
});

it('shows the screen’s name in the document title', async () => {
  script('get', '/api/user/self', () => succeed(wireSelf));
  showApp('/panel/token');
  await waitFor(() => expect(document.title).toBe('Tokens · Test Gateway'));
});

it('finds screens by name in the command palette', async () => {
  script('get', '/api/user/self', () => succeed(wireSelf));
  const { user } = showApp('/panel/token');
  await screen.findByRole('heading', { name: 'Tokens' });
  await user.keyboard('{Control>}k{/Control}');
  await user.type(await screen.findByRole('combobox', { name: /Page, token/ }), 'tok');
  expect(await screen.findByRole('option', { name: /Tokens/ })).toBeTruthy();
});

it('offers the creatable records that the user may create, from any screen', async () => {
  script('get', '/api/user/self', () => succeed(wireSelf));
  const { user } = showApp('/panel/profile');
  await screen.findByRole('heading', { name: 'Profile' });
  await user.keyboard('{Control>}k{/Control}');
  await user.type(await screen.findByRole('combobox', { name: /Page, token/ }), 'new ');
  expect(screen.queryByRole('option', { name: 'New channel' })).toBeNull();
  await user.click(await screen.findByRole('option', { name: 'New token' }));
  expect(await screen.findByRole('dialog', { name: 'New token' })).toBeTruthy();
});

it('shows a message for an unknown path', async () => {
  script('get', '/api/user/self', () => refuse('not-signed-in', 401));
  showApp('/nowhere');
  expect(await screen.findByText('Page not found')).toBeTruthy();
});

it('redirects a fresh server’s visitor to the set-up and creates the root account with the link’s code', async () => {
  script('get', '/api/status', () => succeed({ ...wireSite, set_up_needed: true }));
  script('get', '/api/user/self', () => refuse('not-signed-in', 401));
  script('post', '/api/setup/check', () => succeed(null));
  script('get', '/api/provider', () => succeed([]));
  const created = script('post', '/api/setup', () => succeed(wireSelfOf('root')));
  window.location.hash = '#0123456789abcdef0123';
  const { user } = showApp('/login');
  await user.type(await screen.findByLabelText('Password'), 'long enough');
  await user.click(screen.getByRole('button', { name: 'Create account' }));
  expect(await screen.findByText('First channel')).toBeTruthy();
  expect(created[0]?.body).toEqual({ code: '0123456789abcdef0123', username: 'root', password: 'long enough' });
  expect(window.location.hash).toBe('');
});
