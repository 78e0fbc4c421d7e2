import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { refuse, script, succeed } from '../../../testing/mock-api-server.ts';
import { show, showApp } from '../../../testing/render.tsx';
import { wireNoFactor, wireSelfOf, wireSite } from '../../../testing/wire-samples.ts';
import { wireAnalysis, wireNoCalls, wireStatistics } from './analytics.samples.ts';
import { AnalyticsPage } from './analytics-page.tsx';

const page = <AnalyticsPage />;

beforeEach(() => {
  window.scrollTo = () => {};
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/user/self', () => succeed(wireSelfOf('admin')));
  script('get', '/api/analytics/statistics', () => succeed(wireStatistics));
  script('get', '/api/analytics/views', () => succeed([]));
});

const linkOf = async (name: string) =>
  new URL((await screen.findByRole('link', { name })).getAttribute('href') ?? '', 'http://x');

it('answers the question of the URL with links to its calls', async () => {
  const asked = script('get', '/api/analytics', () =>
    succeed({ ...wireAnalysis, filtered: { model: [{ key: 'own,model', name: 'own,model' }] } }),
  );
  const { user } = show(page, '/panel/analytics?split=user&measure=charged&time=7d&model=own%252Cmodel');
  const table = await screen.findByRole('table', { name: 'Analytics' });
  expect(Object.fromEntries(asked[0]?.url.searchParams ?? [])).toMatchObject({
    split: 'user',
    step: 'day',
    model: 'own%2Cmodel',
  });
  expect(screen.getByText('Model: own,model')).toBeTruthy();
  const first = within(table).getAllByRole('row')[1];
  expect(first?.textContent).toContain('ada');
  expect(first?.textContent).toContain('+80%');
  expect(within(table).getByText('#8')).toBeTruthy();
  expect(screen.getByText('3 others')).toBeTruthy();
  expect(screen.getByText(/\+100%/)).toBeTruthy();
  expect((await linkOf('ada')).pathname).toBe('/panel/user');
  const download = await linkOf('Export CSV');
  expect(download.pathname).toBe('/api/analytics/export');
  expect(download.searchParams.get('split')).toBe('user');
  await user.click(within(table).getByRole('button', { name: 'Requests' }));
  await waitFor(() => expect(within(table).getAllByRole('row')[1]?.textContent).toContain('#8'));
});

it('keeps the choices in the URL', async () => {
  script('get', '/api/analytics', () => succeed(wireAnalysis));
  script('get', '/api/analytics/values', () =>
    succeed([
      { key: '7', name: 'ada' },
      { key: '9', name: 'bob' },
    ]),
  );
  const { user, search } = show(page, '/panel/analytics');
  await screen.findByRole('table', { name: 'Analytics' });
  await user.click(screen.getByRole('combobox', { name: 'Split by' }));
  await user.click(await screen.findByRole('option', { name: 'Channel' }));
  await waitFor(() => expect(search()).toEqual({ split: 'channel' }));
  await user.click(screen.getByRole('button', { name: 'More filters' }));
  await user.click(await screen.findByRole('menuitem', { name: 'User' }));
  await user.click(await screen.findByRole('option', { name: 'ada' }));
  await user.click(await screen.findByRole('option', { name: 'bob' }));
  await waitFor(() => expect(search()).toEqual({ split: 'channel', user: '7,9' }));
});

it('shows that there were no calls, or that some are not aggregated yet', async () => {
  script('get', '/api/analytics', () => succeed({ ...wireNoCalls, complete_until: 1_767_225_600 }));
  show(page, '/panel/analytics');
  expect(await screen.findByText('No calls match in this period.')).toBeTruthy();
  expect(screen.getByText(/still being aggregated/)).toBeTruthy();
  expect((await linkOf('Show 90 days')).searchParams.get('time')).toBe('90d');
});

it('shows current figures with their lists, and amounts to users who may see them', async () => {
  script('get', '/api/analytics', () => succeed(wireNoCalls));
  show(page, '/panel/analytics');
  expect(await screen.findByText('3 invited, 1 disabled')).toBeTruthy();
  expect(screen.getByText('4 enabled, 2 disabled, 1 auto-disabled')).toBeTruthy();
  expect(screen.getByText('CN¥146.00 · 2 codes ($1.00)')).toBeTruthy();
  expect((await linkOf('Channels')).pathname).toBe('/panel/channel');
  expect((await linkOf('Topped up')).pathname).toBe('/panel/payment');
});

it('shows an error with its request id', async () => {
  script('get', '/api/analytics', () => refuse('internal', 500, { request_id: 'req-9' }));
  show(page, '/panel/analytics');
  expect(await screen.findByText(/req-9/)).toBeTruthy();
});

it('saves the current view, and opens and removes saved ones', async () => {
  script('get', '/api/analytics', () => succeed(wireAnalysis));
  const saved = { id: 3, name: 'By channel', search: 'split=channel&model=a%252Cb' };
  script('get', '/api/analytics/views', () => succeed([saved]));
  const made = script('post', '/api/analytics/views', () => succeed({ ...saved, id: 4 }));
  const removed = script('delete', '/api/analytics/views/3', () => succeed(null));
  const renamed = script('put', '/api/analytics/views/3', () => succeed(saved));
  const { user, search } = show(page, '/panel/analytics?measure=margin');
  await user.click(await screen.findByRole('button', { name: 'Saved views' }));
  await user.type(await screen.findByRole('textbox', { name: 'View name' }), 'Margins{Enter}');
  await waitFor(() => expect(made[0]?.body).toEqual({ name: 'Margins', search: 'measure=margin' }));
  await user.click(screen.getByRole('button', { name: 'Rename By channel' }));
  await user.type(screen.getByRole('textbox', { name: 'View name' }), ' 2{Enter}');
  await waitFor(() => expect(renamed[0]?.body).toEqual({ name: 'By channel 2' }));
  await user.click(screen.getByRole('button', { name: 'Delete By channel' }));
  const question = await screen.findByRole('alertdialog', { name: 'Delete “By channel”?' });
  expect(removed).toHaveLength(0);
  await user.click(within(question).getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(removed).toHaveLength(1));
  await user.click(await screen.findByRole('button', { name: 'By channel' }));
  await waitFor(() => expect(search()).toEqual({ split: 'channel', model: 'a%2Cb' }));
});

it('shows each row as a card on a phone', async () => {
  script('get', '/api/analytics', () => succeed(wireAnalysis));
  const wide = window.matchMedia;
  const ignore = () => {};
  window.matchMedia = (query) => ({
    matches: /max-width/.test(query),
    media: query,
    onchange: null,
    addEventListener: ignore,
    removeEventListener: ignore,
    addListener: ignore,
    removeListener: ignore,
    dispatchEvent: () => false,
  });
  try {
    show(page, '/panel/analytics?split=user');
    expect((await screen.findAllByText('ada')).length).toBeGreaterThan(0);
    expect(screen.queryByRole('table')).toBeNull();
    expect(screen.getAllByText('$1.80').length).toBeGreaterThan(0);
  } finally {
    window.matchMedia = wide;
  }
});

it('replaces One Hub’s page of user statistics', async () => {
  script('get', '/api/user/second_factor', () => succeed(wireNoFactor));
  script('get', '/api/notice', () => succeed(''));
  script('get', '/api/user_group_map', () => succeed({}));
  script('get', '/api/analytics', () => succeed(wireAnalysis));
  const { router } = showApp('/panel/multi_user_stats');
  await waitFor(() => expect(router.state.location.pathname).toBe('/panel/analytics'));
  expect(router.state.location.search).toEqual({ split: 'user' });
});
