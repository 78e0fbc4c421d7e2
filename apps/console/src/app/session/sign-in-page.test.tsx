import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { requestOptions, stubAuthenticator } from '../../testing/fake-webauthn.ts';
import { refuse, script, succeed } from '../../testing/mock-api-server.ts';
import { showApp } from '../../testing/render.tsx';
import { wirePage, wireSelf, wireSite } from '../../testing/wire-samples.ts';

const next = '/login?next=%2Fpanel%2Ftoken';

beforeEach(() => {
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/notice', () => succeed(''));
  script('get', '/api/user/self', () => refuse('not-signed-in', 401));
  script('get', '/api/user_group_map', () => succeed({}));
  script('get', '/api/user/models', () => succeed([]));
  script('get', '/api/token/', () => succeed(wirePage([])));
});

/** Signs in by password and waits for the second step. */
async function reachSecondStep(ways: { code: boolean; passkey: boolean }) {
  script('post', '/api/user/login', () => refuse('second-factor-required', 403));
  script('get', '/api/user/login/second', () => succeed(ways));
  const shown = showApp(next);
  await shown.user.type(await screen.findByLabelText('Username or email'), 'ada');
  await shown.user.type(screen.getByLabelText('Password'), 'secret{Enter}');
  await screen.findByRole('heading', { name: 'Two-factor authentication' });
  return shown;
}

it('submits the code on its sixth digit and opens the requested page', async () => {
  const tried = script('post', '/api/user/login/second', () =>
    tried.length === 1 ? refuse('wrong-code', 400) : succeed(wireSelf),
  );
  const { user, router } = await reachSecondStep({ code: true, passkey: false });
  const code = await screen.findByLabelText<HTMLInputElement>('Code');
  expect([code.autocomplete, code.inputMode]).toEqual(['one-time-code', 'numeric']);
  await user.type(code, '000000');
  expect(await screen.findByText('Wrong or expired code. Enter a new one.')).toBeTruthy();
  await user.type(code, '123456');
  expect(await screen.findByRole('heading', { name: 'Tokens' })).toBeTruthy();
  expect(router.state.location.pathname).toBe('/panel/token');
  expect(tried.map(({ body }) => body)).toEqual([{ code: '000000' }, { code: '123456' }]);
});

it('accepts a recovery code instead', async () => {
  const tried = script('post', '/api/user/login/second', () => succeed(wireSelf));
  const { user } = await reachSecondStep({ code: true, passkey: false });
  await user.click(await screen.findByRole('button', { name: 'Use a recovery code' }));
  await user.type(screen.getByLabelText('Recovery code'), 'abcde-fghij{Enter}');
  await waitFor(() => expect(tried[0]?.body).toEqual({ code: 'abcde-fghij' }));
  expect(await screen.findByRole('heading', { name: 'Tokens' })).toBeTruthy();
});

it('starts again with a message when the sign-in timed out', async () => {
  script('post', '/api/user/login/second', () => refuse('link-expired', 400));
  const { user, router } = await reachSecondStep({ code: true, passkey: false });
  await user.type(await screen.findByLabelText('Code'), '123456');
  expect(await screen.findByText('The sign-in timed out. Start again.')).toBeTruthy();
  expect(screen.getByLabelText('Username or email')).toBeTruthy();
  expect(router.state.location.href).toBe(next);
});

it('starts again when the URL names the second step but no sign-in is pending', async () => {
  script('get', '/api/user/login/second', () => succeed({ code: false, passkey: false }));
  showApp('/login?step=second');
  expect(await screen.findByText('The sign-in timed out. Start again.')).toBeTruthy();
});

it('finishes the second step with a passkey', async () => {
  stubAuthenticator();
  script('post', '/api/webauthn/login/begin', () => succeed(requestOptions));
  script('post', '/api/webauthn/login/finish', () => succeed(wireSelf));
  const { user } = await reachSecondStep({ code: false, passkey: true });
  await user.click(await screen.findByRole('button', { name: 'Use a passkey' }));
  expect(await screen.findByRole('heading', { name: 'Tokens' })).toBeTruthy();
});

it('signs in with a passkey without a user name', async () => {
  const authenticator = stubAuthenticator();
  const begun = script('post', '/api/webauthn/login/begin', () => succeed(requestOptions));
  script('post', '/api/webauthn/login/finish', () => succeed(wireSelf));
  const { user } = showApp(next);
  await user.click(await screen.findByRole('button', { name: 'Sign in with a passkey' }));
  expect(await screen.findByRole('heading', { name: 'Tokens' })).toBeTruthy();
  expect(begun[0]?.body).toEqual({});
  expect(authenticator.asked).toHaveLength(1);
});

it('shows no error when the passkey dialog is closed', async () => {
  const authenticator = stubAuthenticator();
  authenticator.cancel = true;
  script('post', '/api/webauthn/login/begin', () => succeed(requestOptions));
  const { user } = showApp(next);
  const button = await screen.findByRole('button', { name: 'Sign in with a passkey' });
  await user.click(button);
  await waitFor(() => expect(authenticator.asked).toHaveLength(1));
  await waitFor(() => expect(button).toHaveProperty('disabled', false));
  expect(screen.queryByRole('alert')).toBeNull();
});

it('reports a passkey that the server does not know', async () => {
  stubAuthenticator();
  script('post', '/api/webauthn/login/begin', () => succeed(requestOptions));
  script('post', '/api/webauthn/login/finish', () => refuse('wrong-code', 400));
  const { user } = showApp(next);
  await user.click(await screen.findByRole('button', { name: 'Sign in with a passkey' }));
  expect(await screen.findByText(/is not registered here/)).toBeTruthy();
});

it('offers no passkey when the site or the browser does not support it', async () => {
  showApp(next);
  await screen.findByLabelText('Username or email');
  expect(screen.queryByRole('button', { name: 'Sign in with a passkey' })).toBeNull();
});

it('links to registration and password reset if the site offers them', async () => {
  script('get', '/api/status', () => succeed({ ...wireSite, password_reset: true }));
  const { user, router } = showApp('/login');
  await user.click(await screen.findByRole('link', { name: 'Forgot your password?' }));
  expect(await screen.findByRole('button', { name: 'Send link' })).toBeTruthy();
  expect(router.state.location.pathname).toBe('/reset');
  await user.click(screen.getByRole('link', { name: 'Back to sign-in' }));
  await user.click(await screen.findByRole('link', { name: 'Sign up' }));
  expect(await screen.findByRole('button', { name: 'Create account' })).toBeTruthy();
});

it('links to neither if the site does not offer them', async () => {
  script('get', '/api/status', () => succeed({ ...wireSite, register_enabled: false }));
  showApp('/login');
  expect(await screen.findByLabelText('Password')).toBeTruthy();
  expect(screen.queryByRole('link', { name: 'Sign up' })).toBeNull();
  expect(screen.queryByRole('link', { name: 'Forgot your password?' })).toBeNull();
});
