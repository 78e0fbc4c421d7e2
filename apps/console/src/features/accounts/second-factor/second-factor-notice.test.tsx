import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { script, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wireSite } from '../../../testing/wire-samples.ts';
import { SecondFactorNotice } from './second-factor-notice.tsx';

const now = Math.floor(Date.now() / 1000);
const none = { totp: false, passkeys: 0, recovery_codes_left: 0 };
const answer = (needed_from: number | null, more = {}) =>
  script('get', '/api/user/second_factor', () => succeed({ ...none, needed_from, ...more }));

beforeEach(() => void script('get', '/api/status', () => succeed(wireSite)));

it('shows the remaining days until it is dismissed', async () => {
  answer(now + 3 * 86_400);
  const { user } = show(<SecondFactorNotice />, '/panel/user');
  expect(await screen.findByText(/You have 3 days left/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Later' }));
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
});

it('cannot be dismissed after the deadline and links to where a factor is added', async () => {
  answer(now - 10);
  show(<SecondFactorNotice />, '/panel/user');
  expect(await screen.findByText(/you can access only your own account/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Later' })).toBeNull();
  const link = screen.getByRole('link', { name: 'Set up two-factor authentication' });
  expect(link.getAttribute('href')).toBe('/panel/profile#second-factor');
});

it.each([
  ['the role requires no second factor', null, {}],
  ['the account has a passkey', now - 10, { passkeys: 1 }],
  ['the account has an authenticator app', now - 10, { totp: true }],
])('shows nothing when %s', async (_why, neededFrom, more) => {
  const asked = answer(neededFrom, more);
  const { queryClient } = show(<SecondFactorNotice />, '/panel/user');
  await waitFor(() => expect(asked).toHaveLength(1));
  await waitFor(() => expect(queryClient.isFetching()).toBe(0));
  expect(screen.queryByRole('alert')).toBeNull();
});
