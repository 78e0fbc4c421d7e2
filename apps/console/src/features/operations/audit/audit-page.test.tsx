import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { script, succeed } from '../../../testing/mock-api-server.ts';
import { showApp } from '../../../testing/render.tsx';
import { wireNoFactor, wirePage, wireSelfOf, wireSite } from '../../../testing/wire-samples.ts';

const entry = {
  id: 12,
  created_at: 1_700_000_000,
  user_id: 7,
  username: 'ada',
  action: 'channel.update',
  target: 'channel:5',
  detail: {
    changes: { weight: { before: 1, after: 9 }, tag: { before: '', after: 'eu' }, SMTPToken: 'set' },
    new_key: true,
  },
  address: '192.0.2.9',
  request_id: '1m7xxfbwe0000ttn0p',
};
const refused = {
  ...entry,
  id: 13,
  user_id: null,
  username: '',
  action: 'future.thing',
  target: 'user:unknown',
  detail: {},
};

beforeEach(() => {
  window.scrollTo = () => {};
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/user/second_factor', () => succeed(wireNoFactor));
  script('get', '/api/notice', () => succeed(''));
  script('get', '/api/user/self', () => succeed(wireSelfOf('root')));
  script('get', '/api/audit/verify', () => succeed({ entries: 13, intact: true, broken_id: null }));
});

it('shows the actor, the target and the changes of an entry', async () => {
  script('get', '/api/audit/', () => succeed(wirePage([refused, entry])));
  const { user } = showApp('/panel/audit');
  await user.click(await screen.findByText('Changed a channel'));
  const drawer = await screen.findByRole('dialog');
  expect((await within(drawer).findByText('weight')).nextElementSibling?.textContent).toBe('1 → 9');
  expect(within(drawer).getByText('tag').nextElementSibling?.textContent).toBe('– → eu');
  expect(within(drawer).getByText('SMTPToken').nextElementSibling?.textContent).toBe('set');
  expect(within(drawer).getByText(/new_key/)).toBeTruthy();
  const link = within(drawer).getByRole<HTMLAnchorElement>('link', { name: /ada/ });
  expect(link.href).toMatch(/\/panel\/user\/7$/);
  expect(screen.getByText('Log intact')).toBeTruthy();
  expect(screen.getByText('future.thing')).toBeTruthy();
});

it('keeps its filters in the URL and exports the matching entries', async () => {
  const lists = script('get', '/api/audit/', () => succeed(wirePage([entry])));
  const { user, router } = showApp('/panel/audit?area=channel');
  await user.type(await screen.findByRole('searchbox'), 'channel:5{Enter}');
  await waitFor(() => expect(router.state.location.search).toEqual({ area: 'channel', target: 'channel:5' }));
  await waitFor(() =>
    expect(Object.fromEntries(lists.at(-1)?.url.searchParams ?? [])).toMatchObject({
      action: 'channel.',
      target: 'channel:5',
    }),
  );
  const link = screen.getByRole<HTMLAnchorElement>('link', { name: 'Export CSV' });
  expect(new URL(link.href).pathname).toBe('/api/audit/export');
  expect(new URL(link.href).searchParams.get('target')).toBe('channel:5');
});

it('shows the first entry that was tampered with', async () => {
  script('get', '/api/audit/verify', () => succeed({ entries: 13, intact: false, broken_id: 4 }));
  script('get', '/api/audit/', () => succeed(wirePage([entry])));
  showApp('/panel/audit');
  expect(await screen.findByText('Broken at #4')).toBeTruthy();
});
