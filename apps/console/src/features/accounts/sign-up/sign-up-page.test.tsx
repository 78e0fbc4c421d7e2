import { act, cleanup, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { refuse, script, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wireSite } from '../../../testing/wire-samples.ts';
import { RegisterPage } from './sign-up-page.tsx';

const site = (more: Record<string, unknown> = {}) =>
  script('get', '/api/status', () => succeed({ ...wireSite, ...more }));

beforeEach(() => {
  localStorage.clear();
  script('get', '/api/user/self', () => refuse('not-signed-in', 401));
});

async function fill(user: ReturnType<typeof show>['user'], password: string, confirm = password) {
  await user.type(await screen.findByLabelText('Username'), 'ada');
  await user.type(screen.getByLabelText('Password'), password);
  await user.type(screen.getByLabelText('Confirm password'), confirm);
}
const create = () => screen.getByRole('button', { name: 'Create account' });

it('creates an account with name and password in the current language', async () => {
  site();
  const sent = script('post', '/api/user/register', () => succeed(null));
  const { user } = show(<RegisterPage />, '/register');
  await fill(user, 'a rather good one');
  expect(screen.getByText('Strong')).toBeTruthy();
  await user.click(create());
  expect(await screen.findByText('Account created. You can sign in now.')).toBeTruthy();
  expect(sent[0]?.body).toMatchObject({ username: 'ada', password: 'a rather good one', language: 'en_US' });
  expect(sent[0]?.body).not.toHaveProperty('confirm');
});

it('explains invalid input before sending', async () => {
  site({ email_verification: true });
  const sent = script('post', '/api/user/register', () => succeed(null));
  const { user } = show(<RegisterPage />, '/register');
  await screen.findByLabelText('Email');
  await fill(user, 'short', 'other');
  await user.type(screen.getByLabelText('Username'), '@x');
  await user.click(create());
  expect(screen.getByText('No spaces and no @')).toBeTruthy();
  expect(screen.getByText('The passwords do not match')).toBeTruthy();
  expect(screen.getAllByText('Required')).toHaveLength(2);
  expect(document.activeElement).toBe(screen.getByLabelText('Username'));
  expect(sent).toEqual([]);
});

it('requests a code, counts down and sends the code along', async () => {
  site({ email_verification: true });
  const asked = script('get', '/api/verification', () => succeed(null));
  const sent = script('post', '/api/user/register', () => succeed(null));
  const { user } = show(<RegisterPage />, '/register');
  await user.type(await screen.findByLabelText('Email'), 'ada@');
  await user.click(screen.getByRole('button', { name: 'Send code' }));
  expect(screen.getByText('Enter a complete email address')).toBeTruthy();
  await user.type(screen.getByLabelText('Email'), 'example.org');
  await user.click(screen.getByRole('button', { name: 'Send code' }));
  const again = await screen.findByRole('button', { name: /Resend in \d+ s/ });
  expect(again).toHaveProperty('disabled', true);
  expect(asked.map(({ url }) => url.searchParams.get('email'))).toEqual(['ada@example.org']);
  await fill(user, 'a rather good one');
  expect(screen.getByRole('button', { name: /Resend in \d+ s/ })).toBeTruthy();
  await user.type(screen.getByLabelText('Verification code'), '12345678');
  await user.click(create());
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]?.body).toMatchObject({ email: 'ada@example.org', verification_code: '12345678' });
});

it('shows a server error at its field and others above the button', async () => {
  site();
  const fields = [{ path: 'password', rule: 'common', message: '' }];
  script('post', '/api/user/register', () => refuse('invalid-input', 400, { fields }));
  const { user } = show(<RegisterPage />, '/register');
  await fill(user, 'password1');
  await user.click(create());
  expect(await screen.findByText(/This password is too common/)).toBeTruthy();
  const message = 'Too many attempts. Retry in 30 seconds.';
  script('post', '/api/user/register', () => refuse('too-many-requests', 429, { message }));
  await user.click(create());
  expect((await screen.findByRole('alert')).textContent).toBe(message);
});

it('keeps the inviter’s code from the link for later visits and sends it once', async () => {
  site({ register_invite_only: true });
  const sent = script('post', '/api/user/register', () => succeed(null));
  show(<RegisterPage />, '/register?aff=KEEP234');
  expect(await screen.findByDisplayValue('KEEP234')).toBeTruthy();
  expect(localStorage.getItem('aff')).toBe('"KEEP234"');
  cleanup();
  const { user } = show(<RegisterPage />, '/register');
  await screen.findByDisplayValue('KEEP234');
  await fill(user, 'a rather good one');
  await user.click(create());
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]?.body).toMatchObject({ aff_code: 'KEEP234' });
  await waitFor(() => expect(localStorage.getItem('aff')).toBe('""'));
});

it('explains when registration is closed', async () => {
  site({ register_enabled: false });
  show(<RegisterPage />, '/register');
  expect(await screen.findByText(/Registration is currently closed/)).toBeTruthy();
  expect(screen.queryByLabelText('Password')).toBeNull();
});

it('waits for the captcha and explains what to do when it cannot be loaded', async () => {
  site({ turnstile_check: true, turnstile_site_key: '0x-site' });
  const sent = script('post', '/api/user/register', () => succeed(null));
  const { user } = show(<RegisterPage />, '/register');
  await fill(user, 'a rather good one');
  await user.click(create());
  expect(screen.getByText(/Wait until the CAPTCHA/)).toBeTruthy();
  const loading = document.querySelector('script[src^="https://challenges.cloudflare.com/"]');
  loading?.dispatchEvent(new Event('error'));
  expect(await screen.findByText(/cannot be loaded/)).toBeTruthy();
  expect(sent).toEqual([]);
});

it('sends each captcha token once and starts a new check', async () => {
  site({ turnstile_check: true, turnstile_site_key: '0x-site' });
  const sent = script('post', '/api/user/register', () => refuse('not-human'));
  const tokens: ((token: string) => void)[] = [];
  const removed = vi.fn<(id: string) => void>();
  window.turnstile = {
    render: (_place, { callback }) => {
      tokens.push(callback as (token: string) => void);
      return String(tokens.length);
    },
    remove: removed,
  };
  const { user } = show(<RegisterPage />, '/register');
  await fill(user, 'a rather good one');
  document.querySelector('script[src^="https://challenges.cloudflare.com/"]')?.dispatchEvent(new Event('load'));
  await waitFor(() => expect(tokens).toHaveLength(1));
  act(() => tokens[0]?.('first-token'));
  await user.click(create());
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]?.url.searchParams.get('turnstile')).toBe('first-token');
  expect((await screen.findByRole('alert')).textContent).toMatch(/CAPTCHA check failed/);
  await waitFor(() => expect(tokens).toHaveLength(2));
  expect(removed).toHaveBeenCalledWith('1');
});
