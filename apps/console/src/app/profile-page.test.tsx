import type { profile } from '@switchyard/contract/accounts/profile';
import type { RouteResponse } from '@switchyard/contract/route';
import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { refuse, script, succeed } from '../testing/mock-api-server.ts';
import { show } from '../testing/render.tsx';
import { replace } from '../testing/replace-browser-api.ts';
import { wireNoFactor, wirePage, wireSelf, wireSite } from '../testing/wire-samples.ts';
import { ProfilePage } from './profile-page.tsx';

const page = <ProfilePage />;
const now = Math.floor(Date.now() / 1000);

type Session = RouteResponse<typeof profile.listSessions>[number];
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

const section = (id: string) => within(document.getElementById(id) ?? document.body);

beforeEach(() => {
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/user/self', () => succeed({ ...wireSelf, quota: 1_250_000, request_count: 12_345 }));
  script('get', '/api/user/destinations', () => succeed([]));
  script('get', '/api/user/deliveries', () => succeed(wirePage([])));
  script('get', '/api/user_group_map', () => succeed({}));
  script('get', '/api/user/access_tokens', () => succeed([]));
  script('get', '/api/user/telegram', () => succeed({ bot: '', bound: null }));
  script('get', '/api/webauthn/credentials', () => succeed([]));
  script('get', '/api/user/second_factor', () => succeed(wireNoFactor));
  script('get', '/api/user/sessions', () => succeed([elsewhere, here]));
  script('get', '/api/user/identities', () => succeed([]));
});

it('shows the account’s balance and usage', async () => {
  show(page, '/panel/profile');
  expect(await screen.findByText('$2.50')).toBeTruthy();
  expect(screen.getByText('12,345')).toBeTruthy();
});

it('shows an administrator’s impersonation in the list of sessions', async () => {
  const looked: Session = { ...elsewhere, method: 'impersonation' };
  script('get', '/api/user/sessions', () => succeed([looked, here]));
  show(page, '/panel/profile');
  expect(await screen.findByText(/198\.51\.100\.7 · impersonation by an administrator/)).toBeTruthy();
});

it('changes the display name', async () => {
  const updates = script('put', '/api/user/self', () => succeed({ ...wireSelf, display_name: 'Countess' }));
  const { user } = show(page, '/panel/profile');
  const name = await screen.findByLabelText('Display name');
  await user.clear(name);
  await user.type(name, 'Countess');
  await user.click(section('names').getByRole('button', { name: 'Save' }));
  await screen.findByText('Saved');
  expect(updates[0]?.body).toEqual({ username: 'ada', display_name: 'Countess' });
});

it('shows a wrong current password at its field and then changes the password', async () => {
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

it('ends another session but never offers to end the current one', async () => {
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

it('ends all sessions after a confirmation and asks to sign in', async () => {
  const ended = script('delete', '/api/user/sessions', () => succeed(null));
  const { user, queryClient } = show(page, '/panel/profile');
  await user.click(await screen.findByRole('button', { name: 'End all sessions' }));
  const question = await screen.findByRole('alertdialog');
  await user.click(within(question).getByRole('button', { name: 'End all sessions' }));
  await waitFor(() => expect(queryClient.getQueryData(['self'])).toBeNull());
  expect(ended).toHaveLength(1);
});

it('changes the email address with the code that was mailed to it', async () => {
  const mailed = script('get', '/api/verification', () => succeed(null));
  const bound = script('get', '/api/oauth/email/bind', () => succeed(null));
  const { user } = show(page, '/panel/profile');
  await user.click(await screen.findByRole('button', { name: 'Add email address' }));
  await user.type(screen.getByLabelText('New email address'), 'ada@example.com{Enter}');
  await user.type(await screen.findByLabelText('Code'), '123456');
  await user.click(section('email').getByRole('button', { name: 'Confirm' }));
  await screen.findByText('Email address saved');
  expect(mailed[0]?.url.searchParams.get('email')).toBe('ada@example.com');
  expect(Object.fromEntries(bound[0]?.url.searchParams ?? [])).toEqual({ email: 'ada@example.com', code: '123456' });
});

it('sets a first password without asking for the current one', async () => {
  script('get', '/api/user/self', () => succeed({ ...wireSelf, has_password: false }));
  const updates = script('put', '/api/user/self', () => succeed(wireSelf));
  const { user } = show(page, '/panel/profile');
  await screen.findByRole('heading', { name: 'Set password' });
  expect(screen.queryByLabelText('Current password')).toBeNull();
  await user.type(screen.getByLabelText('New password'), 'correct horse battery');
  await user.click(screen.getByRole('button', { name: 'Set password' }));
  await screen.findByText('Password set; other sessions ended');
  expect(updates[0]?.body).toMatchObject({ password: 'correct horse battery' });
});

it('saves which mails the user receives and the balance threshold', async () => {
  const updates = script('put', '/api/user/self', () => succeed(wireSelf));
  const { user } = show(page, '/panel/profile');
  await user.click(await screen.findByLabelText('Sign-in from a new browser'));
  await user.type(screen.getByLabelText('Low balance threshold'), '2');
  await user.click(section('notices').getByRole('button', { name: 'Save' }));
  await screen.findByText('Saved');
  expect(updates[0]?.body).toEqual({
    notices: { ...wireSelf.notices, new_sign_in: false, low_balance_below: 1_000_000 },
    language: '',
  });
});

it('deletes the account only after its name is typed, and shows what is lost', async () => {
  const deleted = script('delete', '/api/user/self', () => succeed(null));
  const { user, queryClient } = show(page, '/panel/profile');
  await user.click(await screen.findByRole('button', { name: 'Delete my account' }));
  const question = await screen.findByRole('alertdialog');
  expect(question.textContent).toContain('Your balance of $2.50 is lost');
  const verb = within(question).getByRole('button', { name: 'Delete my account' });
  expect(verb).toHaveProperty('disabled', true);
  await user.type(within(question).getByRole('textbox'), 'ada');
  await user.click(verb);
  await waitFor(() => expect(queryClient.getQueryData(['self'])).toBeNull());
  expect(deleted).toHaveLength(1);
});

it('uploads the chosen avatar cropped and small, and removes it again', async () => {
  const context = { fillRect: vi.fn(), drawImage: vi.fn() };
  replace(globalThis, 'createImageBitmap', () => Promise.resolve({ width: 400, height: 300 }));
  replace(HTMLCanvasElement.prototype, 'getContext', () => context);
  replace(HTMLCanvasElement.prototype, 'toDataURL', () => 'data:image/png;base64,UE5H');
  const sent = script('put', '/api/user/avatar', ({ body }) => {
    const empty = JSON.stringify(body) === '{"image":""}';
    return succeed({ ...wireSelf, avatar_url: empty ? '' : '/api/user/avatar/7?v=1' });
  });
  const { user } = show(page, '/panel/profile');
  const input = await screen.findByLabelText<HTMLInputElement>('Choose picture', { selector: 'input' });
  await user.upload(input, new File(['x'], 'me.jpg', { type: 'image/jpeg' }));
  const dialog = await screen.findByRole('dialog', { name: 'Profile picture' });
  expect(context.drawImage.mock.calls[0]?.slice(1)).toEqual([50, 0, 300, 300, 0, 0, 128, 128]);
  await user.click(within(dialog).getByRole('button', { name: 'Save' }));
  await user.click(await screen.findByRole('button', { name: 'Remove picture' }));
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Remove picture' })).toBeNull());
  expect(sent.map(({ body }) => body)).toEqual([{ image: 'UE5H' }, { image: '' }]);
});
