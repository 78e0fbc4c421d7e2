import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { refuse, script, scriptConfirmation, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wireSelfOf, wireSite } from '../../../testing/wire-samples.ts';
import { AccessTokenList } from './access-token-list-and-form.tsx';

const token = {
  id: 4,
  name: 'backup script',
  hint: 'wxyz',
  scopes: ['user'],
  read_only: true,
  expired: false,
  created_time: 1_700_000_000,
  expires_time: 0,
  last_used_time: 0,
};

beforeEach(() => {
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/user/self', () => succeed(wireSelfOf('staff', ['users.read'])));
  script('get', '/api/user/access_tokens', () => succeed([token]));
});

it('creates a token after a confirmation and shows it once', async () => {
  let confirmed = false;
  const made = script('post', '/api/user/access_tokens', () =>
    confirmed ? succeed({ token: 'token-that-is-shown-once', id: 5 }) : refuse('step-up-required', 403),
  );
  scriptConfirmation(() => {
    confirmed = true;
  });
  const { user } = show(<AccessTokenList />, '/panel/profile');
  await user.click(await screen.findByRole('button', { name: 'New access token' }));
  const drawer = await screen.findByRole('dialog', { name: 'New access token' });
  await user.type(within(drawer).getByLabelText('Name'), 'reports');
  await user.click(within(drawer).getByRole('checkbox', { name: 'View users' }));
  expect(within(drawer).queryByRole('checkbox', { name: 'Edit users' })).toBeNull();
  await user.click(within(drawer).getByRole('button', { name: 'Save' }));
  await user.type(await screen.findByLabelText('Password'), 'correct horse');
  await user.click(screen.getByRole('button', { name: 'Confirm' }));
  const dialog = await screen.findByRole('dialog', { name: 'Your access token' });
  expect(within(dialog).getByText('token-that-is-shown-once')).toBeTruthy();
  expect(made[1]?.body).toMatchObject({ name: 'reports', scopes: ['user', 'users.read'], read_only: true });
  await user.click(within(dialog).getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(screen.queryByText('token-that-is-shown-once')).toBeNull());
});

it('revokes a token after a confirmation', async () => {
  const ended = script('delete', '/api/user/access_tokens/4', () => succeed(null));
  const { user } = show(<AccessTokenList />, '/panel/profile');
  await user.click(await screen.findByRole('button', { name: 'Revoke token backup script' }));
  await user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Revoke' }));
  await screen.findByText('Token revoked: backup script');
  expect(ended).toHaveLength(1);
});
