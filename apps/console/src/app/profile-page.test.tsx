import type { profile } from '@switchyard/contract/profile';
import type { RouteAnswer } from '@switchyard/contract/route';
import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { show } from '../testing/render.tsx';
import { wireSelf, wireSite } from '../testing/samples.ts';
import { refuse, script, succeed } from '../testing/server.ts';
import { ProfilePage } from './profile-page.tsx';

const page = <ProfilePage />;
const now = Math.floor(Date.now() / 1000);

type Session = RouteAnswer<typeof profile.listSessions>[number];
const here: Session = {
  id: 'here',
  created_time: now - 500,
  last_seen_time: now,
  address: '192.0.2.1',
  device: 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0',
  method: 'password',
  current: true,
};
const elsewhere: Session = {
  ...here,
  id: 'elsewhere',
  address: '198.51.100.7',
  device: 'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) Version/26.0 Mobile Safari/604.1',
  current: false,
};

beforeEach(() => {
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/user/self', () => succeed({ ...wireSelf, quota: 1_250_000, request_count: 12_345 }));
  script('get', '/api/user_group_map', () => succeed({}));
  script('get', '/api/user/access_tokens', () => succeed([]));
  script('get', '/api/user/telegram', () => succeed({ bot: '', bound: null }));
  script('get', '/api/user/sessions', () => succeed([elsewhere, here]));
  script('get', '/api/user/identities', () => succeed([]));
});

it('tells what the account has and has used', async () => {
  show(page, '/panel/profile');
  expect(await screen.findByText('$2.50')).toBeTruthy();
  expect(screen.getByText('12,345')).toBeTruthy();
});

it('changes the names', async () => {
  const updates = script('put', '/api/user/self', () => succeed({ ...wireSelf, display_name: 'Countess' }));
  const { user } = show(page, '/panel/profile');
  const name = await screen.findByLabelText('Display name');
  await user.clear(name);
  await user.type(name, 'Countess');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('Saved');
  expect(updates[0]?.body).toEqual({ username: 'ada', display_name: 'Countess' });
});

it('refuses a wrong current password at its field and then changes the password', async () => {
  let right = false;
  const updates = script('put', '/api/user/self', () =>
    right
      ? succeed(wireSelf)
      : refuse('wrong-password', 401, {
          fields: [{ path: 'current_password', rule: 'wrong-password', message: 'no' }],
        }),
  );
  const { user } = show(page, '/panel/profile');
  await user.type(await screen.findByLabelText('Current password'), 'wrong');
  const password = screen.getByLabelText('New password');
  await user.type(password, 'short');
  expect(screen.getByText('Too short')).toBeTruthy();
  await user.clear(password);
  await user.type(password, 'correct horse battery');
  expect(screen.getByText('Strong')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Change password' }));
  expect(await screen.findByText('The password is wrong')).toBeTruthy();
  right = true;
  await user.click(screen.getByRole('button', { name: 'Change password' }));
  await screen.findByText('Password changed; other sessions ended');
  expect(updates[1]?.body).toEqual({ current_password: 'wrong', password: 'correct horse battery' });
  await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>('New password').value).toBe(''));
});

it('ends another session and never offers to end the present one', async () => {
  const ended = script('delete', '/api/user/sessions/elsewhere', () => succeed(null));
  const { user } = show(page, '/panel/profile');
  const list = await screen.findByRole('list', { name: 'Sessions' });
  const [first, second] = within(list).getAllByRole('listitem');
  expect(first?.textContent).toContain('Firefox · Linux');
  expect(within(first ?? list).queryByRole('button')).toBeNull();
  expect(second?.textContent).toContain('198.51.100.7');
  await user.click(within(list).getByRole('button', { name: 'End session: Safari · iPhone' }));
  await user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'End' }));
  await screen.findByText('Session ended: Safari · iPhone');
  expect(ended).toHaveLength(1);
});
