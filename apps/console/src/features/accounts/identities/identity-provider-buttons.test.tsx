import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { refuse, script, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wireSelf, wireSite } from '../../../testing/wire-samples.ts';
import { IdentityButtons } from './identity-provider-buttons.tsx';

/** Returns a URL of this page with another fragment: jsdom can navigate nowhere else. */
const elsewhere = () => `${location.href.split('#', 1)[0]}#issuer`;

const all = { github_oauth: true, oidc_auth: true, lark_login: true, wechat_login: true };

beforeEach(() => {
  localStorage.clear();
  location.hash = '';
  script('get', '/api/user/self', () => refuse('not-signed-in', 401));
});

it('offers only the providers that the site has enabled', async () => {
  script('get', '/api/status', () => succeed({ ...wireSite, github_oauth: true, wechat_login: true }));
  show(<IdentityButtons />, '/login');
  await screen.findByRole('button', { name: 'Continue with GitHub' });
  expect(screen.getAllByRole('button').map((button) => button.textContent)).toEqual([
    'Continue with GitHub',
    'Continue with WeChat',
  ]);
});

it('redirects to the URL that the server returns', async () => {
  script('get', '/api/status', () => succeed({ ...wireSite, ...all }));
  const asked = script('get', '/api/oauth/endpoint', () => succeed(elsewhere()));
  const { user } = show(<IdentityButtons />, '/login');
  await user.click(await screen.findByRole('button', { name: 'Continue with SSO' }));
  await waitFor(() => expect(location.hash).toBe('#issuer'));
  expect(asked[0]?.url.searchParams.get('provider')).toBe('oidc');
});

it('signs in with a WeChat code after a wrong code and an expired one', async () => {
  script('get', '/api/status', () => succeed({ ...wireSite, ...all, wechat_qrcode: 'https://img.example/qr.png' }));
  localStorage.setItem('aff', '"FRIEND"');
  const started = script('post', '/api/oauth/wechat/start', () => succeed(null));
  let answer = () => refuse('wrong-code');
  const sent = script('get', '/api/oauth/wechat', () => answer());
  const { user } = show(<IdentityButtons />, '/login');
  await user.click(await screen.findByRole('button', { name: 'Continue with WeChat' }));
  const dialog = await screen.findByRole('dialog', { name: 'WeChat code' });
  expect(within(dialog).getByRole('img').getAttribute('src')).toBe('https://img.example/qr.png');
  expect(started).toHaveLength(1);
  await user.type(within(dialog).getByLabelText('Code'), '123456');
  await user.click(within(dialog).getByRole('button', { name: 'Sign in' }));
  await screen.findByText('Wrong or expired code. Enter a new one.');
  answer = () => refuse('link-expired');
  await user.click(within(dialog).getByRole('button', { name: 'Sign in' }));
  await screen.findByText(/there were too many attempts/);
  expect(started).toHaveLength(2);
  answer = () => succeed(wireSelf);
  await user.click(within(dialog).getByRole('button', { name: 'Sign in' }));
  await screen.findByText('Signed in with WeChat');
  expect(Object.fromEntries(sent[2]?.url.searchParams ?? [])).toEqual({ code: '123456', aff: 'FRIEND' });
});
