import { screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { refuse, script, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wireSite } from '../../../testing/wire-samples.ts';
import { RequestResetPage, ResetPage } from './password-reset-pages.tsx';

beforeEach(() => {
  script('get', '/api/status', () => succeed({ ...wireSite, password_reset: true }));
  script('get', '/api/user/self', () => refuse('not-signed-in', 401));
});
afterEach(() => history.replaceState(null, '', '/'));

const choose = async (user: ReturnType<typeof show>['user']) => {
  await user.type(await screen.findByLabelText('Password'), 'a rather good one');
  await user.type(screen.getByLabelText('Confirm password'), 'a rather good one');
  await user.click(screen.getByRole('button', { name: 'Set password' }));
};

it('shows the same message for every address and delays the next mail', async () => {
  const asked = script('get', '/api/reset_password', () => succeed(null));
  const { user } = show(<RequestResetPage />, '/reset');
  await user.type(await screen.findByLabelText('Email'), ' ada@example.org ');
  await user.click(screen.getByRole('button', { name: 'Send link' }));
  expect((await screen.findByRole('status')).textContent).toMatch(/If an account with this email address/);
  expect(screen.getByRole('button', { name: /Resend in \d+ s/ })).toHaveProperty('disabled', true);
  expect(asked[0]?.url.searchParams.get('email')).toBe('ada@example.org');
});

it('reads the token from the fragment and removes it from the URL at once', async () => {
  history.replaceState(null, '', '/user/reset?email=ada%2Bx%40example.org#token=t0ken');
  const sent = script('post', '/api/user/reset', () => succeed(null));
  const { user } = show(<ResetPage />, '/user/reset?email=ada%2Bx%40example.org');
  expect(await screen.findByText(/ada\+x@example.org/)).toBeTruthy();
  expect(location.href).not.toContain('t0ken');
  await choose(user);
  expect(await screen.findByText(/Password set/)).toBeTruthy();
  expect(sent[0]?.body).toEqual({ email: 'ada+x@example.org', token: 't0ken', password: 'a rather good one' });
});

it('reads the token from the query too', async () => {
  const sent = script('post', '/api/user/reset', () =>
    refuse('link-expired', 400, { message: 'This link is no longer valid' }),
  );
  const { user } = show(<ResetPage />, '/user/reset?email=ada@example.org&token=t0ken');
  await choose(user);
  expect((await screen.findByRole('alert')).textContent).toMatch(/no longer valid/);
  expect(sent[0]?.body).toMatchObject({ token: 't0ken' });
  expect(screen.getByRole('link', { name: 'Request a new link' })).toBeTruthy();
});

it('explains an incomplete link', async () => {
  show(<ResetPage />, '/user/reset?email=ada@example.org');
  expect(await screen.findByText(/incomplete/)).toBeTruthy();
  expect(screen.queryByLabelText('Password')).toBeNull();
});
