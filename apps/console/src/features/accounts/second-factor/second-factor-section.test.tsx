import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { refuse, script, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wireSelf, wireSite } from '../../../testing/wire-samples.ts';
import { SecondFactorSection } from './second-factor-section.tsx';

const none = { totp: false, passkeys: 0, recovery_codes_left: 0, needed_from: null };
const codes = Array.from({ length: 10 }, (_, index) => `abcde-fgh${String(index).padStart(2, '0')}`);

beforeEach(() => {
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/user/self', () => succeed(wireSelf));
});

it('sets up the app with its first code and shows the recovery codes once', async () => {
  let state = none;
  script('get', '/api/user/second_factor', () => succeed(state));
  script('post', '/api/user/totp/begin', () =>
    succeed({ secret: 'ABCDEFGHIJKL', uri: 'otpauth://totp/x?secret=ABCDEFGHIJKL' }),
  );
  const tried = script('post', '/api/user/totp/finish', () => {
    if (tried.length < 2) return refuse('wrong-code', 400);
    state = { ...none, totp: true, recovery_codes_left: 10 };
    return succeed({ recovery_codes: codes });
  });
  const { user } = show(<SecondFactorSection />, '/panel/profile');
  await user.click(await screen.findByRole('button', { name: 'Set up' }));
  const dialog = await screen.findByRole('dialog', { name: 'Set up authenticator app' });
  expect(await within(dialog).findByRole('img', { name: 'QR code for the authenticator app' })).toBeTruthy();
  expect(within(dialog).getByText('ABCD EFGH IJKL')).toBeTruthy();
  await user.type(within(dialog).getByLabelText('Code'), '111111');
  expect(await within(dialog).findByText('Wrong or expired code. Enter a new one.')).toBeTruthy();
  await user.type(within(dialog).getByLabelText('Code'), '123 456');
  const shown = await screen.findByRole('dialog', { name: 'Your recovery codes' });
  expect(
    within(shown)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent),
  ).toEqual(codes);
  expect(tried.map(({ body }) => body)).toEqual([{ code: '111111' }, { code: '123456' }]);
  await user.keyboard('{Escape}');
  expect(within(shown).getByText('abcde-fgh00')).toBeTruthy();
  await user.click(within(shown).getByRole('button', { name: 'I have saved them' }));
  await waitFor(() => expect(screen.queryByText('abcde-fgh00')).toBeNull());
  expect(await screen.findByText('10 left')).toBeTruthy();
});

it('warns about three or fewer recovery codes and creates new ones after a confirmation', async () => {
  script('get', '/api/user/second_factor', () => succeed({ ...none, totp: true, recovery_codes_left: 3 }));
  script('post', '/api/user/recovery_codes', () => succeed({ recovery_codes: codes }));
  const { user } = show(<SecondFactorSection />, '/panel/profile');
  expect(await screen.findByText('Few recovery codes are left. Generate new ones before you need them.')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'New codes' }));
  const question = await screen.findByRole('alertdialog');
  await user.click(within(question).getByRole('button', { name: 'Generate new codes' }));
  expect(await screen.findByText('abcde-fgh09')).toBeTruthy();
});

it('shows an administrator the day from which the role requires a second factor', async () => {
  script('get', '/api/user/second_factor', () => succeed({ ...none, needed_from: 1_790_000_000 }));
  show(<SecondFactorSection />, '/panel/profile');
  expect(await screen.findByText(/Your role requires two-factor authentication from Sep 2\d, 2026/)).toBeTruthy();
});

it('removes the app after a confirmation', async () => {
  let totp = true;
  script('get', '/api/user/second_factor', () => succeed({ ...none, totp, recovery_codes_left: 9 }));
  script('delete', '/api/user/totp', () => {
    totp = false;
    return succeed(null);
  });
  const { user } = show(<SecondFactorSection />, '/panel/profile');
  await user.click(await screen.findByRole('button', { name: 'Remove' }));
  await user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Remove' }));
  expect(await screen.findByRole('button', { name: 'Set up' })).toBeTruthy();
});

it('creates the first recovery codes beside a passkey without a confirmation', async () => {
  script('get', '/api/user/second_factor', () => succeed({ ...none, passkeys: 1 }));
  script('post', '/api/user/recovery_codes', () => succeed({ recovery_codes: codes }));
  const { user } = show(<SecondFactorSection />, '/panel/profile');
  await user.click(await screen.findByRole('button', { name: 'Generate new codes' }));
  expect(await screen.findByText('abcde-fgh00')).toBeTruthy();
});
