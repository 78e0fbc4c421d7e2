import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { refuse, script, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wireSelf, wireSite } from '../../../testing/wire-samples.ts';
import { IdentityList } from './identity-list.tsx';

/** Returns a URL of this page with another fragment: jsdom can navigate nowhere else. */
const elsewhere = () => `${location.href.split('#', 1)[0]}#issuer`;

const github = { provider: 'github', label: 'octo-ada', created_time: 1_700_000_000 };

beforeEach(() => {
  location.hash = '';
  script('get', '/api/status', () => succeed({ ...wireSite, oidc_auth: true, wechat_login: true }));
  script('get', '/api/user/self', () => succeed(wireSelf));
  script('get', '/api/user/identities', () => succeed([github]));
});

it('shows linked identities, even of disabled providers, and the ones that can be linked', async () => {
  show(<IdentityList />, '/panel/profile');
  const list = await screen.findByRole('list', { name: 'Connected accounts' });
  const rows = within(list).getAllByRole('listitem');
  await waitFor(() => expect(within(list).getAllByRole('listitem')).toHaveLength(3));
  expect(rows.at(-1)?.textContent).toMatch(/GitHub.*octo-ada/);
  expect(within(list).getByRole('button', { name: 'Connect WeChat' })).toBeTruthy();
  expect(within(list).queryByRole('button', { name: 'Connect GitHub' })).toBeNull();
});

it('asks for the password before it redirects to link an identity', async () => {
  let confirmed = false;
  script('get', '/api/oauth/endpoint', () => (confirmed ? succeed(elsewhere()) : refuse('step-up-required', 403)));
  script('get', '/api/user/step_up', () => succeed({ password: true, code: false, passkey: false }));
  script('post', '/api/user/step_up', () => {
    confirmed = true;
    return succeed(null);
  });
  const { user } = show(<IdentityList />, '/panel/profile');
  await user.click(await screen.findByRole('button', { name: 'Connect SSO' }));
  await user.type(await screen.findByLabelText('Password'), 'correct horse');
  expect(location.hash).toBe('');
  await user.click(screen.getByRole('button', { name: 'Confirm' }));
  await waitFor(() => expect(location.hash).toBe('#issuer'));
});

it('unlinks after a confirmation and explains why the last sign-in method stays', async () => {
  let last = true;
  const sent = script('post', '/api/user/unbind', () => (last ? refuse('conflict', 409) : succeed(null)));
  const { user } = show(<IdentityList />, '/panel/profile');
  const remove = async () => {
    await user.click(await screen.findByRole('button', { name: 'Disconnect GitHub' }));
    const question = await screen.findByRole('alertdialog');
    await user.click(within(question).getByRole('button', { name: 'Disconnect' }));
  };
  await remove();
  await screen.findByText(/This is the only sign-in method/);
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
  last = false;
  await remove();
  await screen.findByText('GitHub disconnected');
  expect(sent.map(({ body }) => body)).toEqual([{ type: 'github' }, { type: 'github' }]);
});

it('links WeChat with a code', async () => {
  script('post', '/api/oauth/wechat/start', () => succeed(null));
  const sent = script('get', '/api/oauth/wechat/bind', () => succeed(null));
  const { user } = show(<IdentityList />, '/panel/profile');
  await user.click(await screen.findByRole('button', { name: 'Connect WeChat' }));
  const dialog = await screen.findByRole('dialog', { name: 'WeChat code' });
  await user.type(within(dialog).getByLabelText('Code'), '42');
  await user.click(within(dialog).getByRole('button', { name: 'Connect' }));
  await screen.findByText('WeChat connected');
  expect(sent[0]?.url.searchParams.get('code')).toBe('42');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});
