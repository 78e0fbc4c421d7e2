import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { refuse, script, succeed } from '../../../testing/mock-api-server.ts';
import { showApp } from '../../../testing/render.tsx';
import { wireSelf, wireSite } from '../../../testing/wire-samples.ts';

let signedIn: boolean;

beforeEach(() => {
  signedIn = false;
  localStorage.clear();
  sessionStorage.clear();
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/notice', () => succeed(''));
  script('get', '/api/user/self', () => (signedIn ? succeed(wireSelf) : refuse('not-signed-in', 401)));
  script('get', '/api/dashboard/self', () => refuse('unavailable', 503));
});

it('submits the redirect’s parameters once and stores none of them', async () => {
  localStorage.setItem('aff', '"FRIEND"');
  const sent = script('get', '/api/oauth/oidc', () => {
    signedIn = true;
    return succeed(wireSelf);
  });
  const { router } = showApp('/oauth/oidc?code=secret-code&state=secret-state&iss=https%3A%2F%2Fi.example');
  await screen.findByText('Signed in with SSO');
  expect(sent.map(({ url }) => Object.fromEntries(url.searchParams))).toEqual([
    { code: 'secret-code', state: 'secret-state', iss: 'https://i.example', aff: 'FRIEND' },
  ]);
  await waitFor(() => expect(router.state.location.pathname).toBe('/panel/dashboard'));
  router.history.back();
  await waitFor(() => expect(router.state.location.href).not.toContain('secret'));
  expect(JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)])).not.toContain('secret');
});

it('reports a linked identity and keeps the user signed in', async () => {
  signedIn = true;
  script('get', '/api/oauth/github', () => succeed(null));
  const { router } = showApp('/oauth/github?code=c&state=s');
  await screen.findByText('GitHub connected');
  await waitFor(() => expect(router.state.location.pathname).toBe('/panel/dashboard'));
});

it('continues with the second factor if the account has one', async () => {
  script('get', '/api/oauth/lark', () => refuse('second-factor-required', 403));
  const { router } = showApp('/oauth/lark?code=c&state=s');
  await waitFor(() => expect(router.state.location.href).toBe('/login?step=second'));
});

it.each([
  ['a refusal', '?code=c&state=s', 'This email address has an account'],
  ['a declined authorization', '?error=access_denied&state=s', 'You did not authorize the sign-in'],
  ['an incomplete URL', '?code=c', 'The URL is incomplete'],
])('explains %s and links back', async (_what, search, text) => {
  script('get', '/api/oauth/github', () => refuse('bind-first', 409));
  const { user, router } = showApp(`/oauth/github${search}`);
  await screen.findByText(new RegExp(text));
  expect(router.state.location.href).toBe('/oauth/github');
  await user.click(screen.getByRole('link', { name: 'Back to sign-in' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
});

it('explains to an unknown visitor that no account can be created', async () => {
  script('get', '/api/oauth/github', () => refuse('switched-off', 403));
  showApp('/oauth/github?code=c&state=s');
  await screen.findByText(/It is not connected to an account here/);
});
