import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { wireGroup } from '../features/accounts/user-groups/user-groups.samples.ts';
import { wireSeenKey, wireUser } from '../features/accounts/users/users-and-keys.samples.ts';
import { script, succeed } from '../testing/mock-api-server.ts';
import { showApp } from '../testing/render.tsx';
import { wireNoFactor, wirePage, wireSelfOf, wireSite } from '../testing/wire-samples.ts';

const figures = {
  quota: 0,
  requests: 0,
  errors: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  request_time: 0,
  margin: null,
};

beforeEach(() => {
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/notice', () => succeed(''));
  script('get', '/api/user/second_factor', () => succeed(wireNoFactor));
  script('get', '/api/user_group/', () => succeed(wirePage([wireGroup(1, 'default')])));
  script('get', '/api/user_group_map', () => succeed({}));
  script('get', '/api/user/7', () => succeed(wireUser(7, 'grace', { held_quota: 500_000 })));
  script('get', '/api/dashboard/user/7', () => succeed({ current: figures, before: figures, days: [] }));
});

const as = (role: 'root' | 'admin') => script('get', '/api/user/self', () => succeed({ ...wireSelfOf(role), id: 2 }));

it('shows held points and, to root, every tab', async () => {
  as('root');
  showApp('/panel/user/7');
  await screen.findByText(/\$1\.00 on hold for running requests/);
  const tabs = within(screen.getByRole('tablist', { name: 'About grace' }));
  expect(tabs.getAllByRole('tab').map(({ textContent }) => textContent)).toEqual([
    'Overview',
    'Tokens',
    'Usage',
    'Orders',
    'Balance history',
    'Sessions',
    'Audit log',
  ]);
  await screen.findByText('No calls in the last 30 days.');
});

it('shows an administrator only the allowed tabs of another administrator', async () => {
  as('admin');
  script('get', '/api/user/7', () => succeed(wireUser(7, 'grace', { role: 10 })));
  showApp('/panel/user/7?tab=sessions');
  const tabs = within(await screen.findByRole('tablist', { name: 'About grace' }));
  expect(tabs.getAllByRole('tab').map(({ textContent }) => textContent)).toEqual(['Overview', 'Usage', 'Orders']);
  expect(screen.getByRole('tab', { selected: true }).textContent).toBe('Overview');
});

it('ends a session', async () => {
  as('admin');
  const device = 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0';
  const session = { created_time: 1, last_seen_time: 2, address: '192.0.2.1', device, method: 'impersonation' };
  script('get', '/api/user/7/sessions', () => succeed([{ id: 'abc', ...session }]));
  const ways = { password: true, email_verified: false, identities: ['github'], passkeys: 0, totp: true };
  script('get', '/api/user/7/sign_in_ways', () => succeed({ ...ways, recovery_codes_left: 8 }));
  const ended = script('delete', '/api/user/7/sessions/abc', () => succeed(null));
  const { user } = showApp('/panel/user/7?tab=sessions');
  await screen.findByText(/192\.0\.2\.1 · impersonation by an administrator/);
  await screen.findByText('GitHub');
  await user.click(screen.getByRole('button', { name: /^End the session on Firefox/ }));
  await user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'End' }));
  await waitFor(() => expect(ended).toHaveLength(1));
});

it('disables a token and undoes it', async () => {
  as('admin');
  script('get', '/api/user/7/tokens', () => succeed([wireSeenKey(3, 'ci')]));
  const switched = script('put', '/api/token/3/status', () => succeed(null));
  const { user } = showApp('/panel/user/7?tab=tokens');
  const table = within(await screen.findByRole('table'));
  await user.click(await table.findByRole('button', { name: 'More' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Disable' }));
  await user.click(await screen.findByRole('button', { name: 'Undo' }));
  await waitFor(() => expect(switched.map(({ body }) => body)).toEqual([{ status: 2 }, { status: 1 }]));
});

it('shows the balance history page by page', async () => {
  as('admin');
  const entry = (id: string, amount: number, by: unknown = null) => ({
    id,
    created_at: 1_700_000_000,
    kind: 'adjust',
    amount,
    balance_after: 1_000_000,
    remark: `remark ${id}`,
    by,
  });
  const pages = script('get', '/api/user/7/balance_history', ({ url }) =>
    succeed(
      url.searchParams.has('before')
        ? { entries: [entry('adjust:b', 500_000)], more: false }
        : { entries: [entry('adjust:a', -250_000, { id: 2, username: 'ada' })], more: true },
    ),
  );
  const { user } = showApp('/panel/user/7?tab=balance');
  await screen.findByText('remark adjust:a');
  expect(screen.getByText('-$0.50')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Show more' }));
  await screen.findByText('remark adjust:b');
  expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull();
  expect(pages.at(-1)?.url.searchParams.get('before')).toBe('adjust:a');
});
