import type { RouteResponse } from '@switchyard/contract/route';
import type { dashboard } from '@switchyard/contract/usage/dashboard';
import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { refuse, script, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wireApiKey, wirePage, wireSelf, wireSelfOf, wireSite } from '../../../testing/wire-samples.ts';
import { datesOf } from './daily-usage.ts';
import { DashboardPage } from './dashboard-page.tsx';

const page = <DashboardPage />;
/** Wire form of a type, in which points are plain numbers. */
type Wire<T> = T extends number ? number : T extends object ? { [Name in keyof T]: Wire<T[Name]> } : T;
type Answer = Wire<RouteResponse<typeof dashboard.own>>;

beforeEach(() => {
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/load', () => succeed(calm));
  script('get', '/api/user/dashboard/rate', () => succeed({ rpm: 3, max_rpm: 60, tpm: 1_200, max_tpm: 0 }));
  script('get', '/api/user/aff', () => succeed('ab12'));
  script('get', '/api/available_model', () => succeed({}));
  script('get', '/api/user/models', () => succeed(['large-one']));
  script('get', '/api/token/', () => succeed(wirePage([wireApiKey(1)])));
  script('get', '/api/channel/', () => succeed(wirePage([], 1)));
  script('get', '/api/prices/unpriced', () => succeed([]));
});

const none = {
  quota: 0,
  requests: 0,
  errors: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  request_time: 0,
  margin: null,
};
const calm = { shedding: false, running: 3, refused: 0, delay: 2, memory: 0.2 };
const [yesterday = '', today = ''] = datesOf(2, new Date());
const usage = (date: string, model_name: string, quota: number, requests: number) => ({
  date,
  model_name,
  quota,
  requests,
  prompt_tokens: 100,
  completion_tokens: 20,
  duration_ms: 4_000,
});
const busy: Answer = {
  current: {
    quota: 1_500_000,
    requests: 9,
    errors: 1,
    prompt_tokens: 900,
    completion_tokens: 100,
    request_time: 640,
    margin: null,
  },
  before: { ...none, quota: 1_000_000, requests: 9, errors: 0, request_time: 320 },
  days: [usage(yesterday, 'small-one', 500_000, 8), usage(today, 'large-one', 1_000_000, 1)],
};
const quiet: Answer = { current: none, before: none, days: [] };

it('shows the figures of the period with links to their calls', async () => {
  script('get', '/api/user/self', () => succeed({ ...wireSelf, request_count: 9 }));
  const asked = script('get', '/api/dashboard/self', () => succeed(busy));
  show(page, '/panel/dashboard?days=30');
  // Today's spending is the same.
  await waitFor(() => expect(screen.getAllByText('$3.00')).toHaveLength(2));
  expect(new Set(asked.map(({ url }) => url.searchParams.get('days')))).toEqual(new Set(['1', '30']));
  expect(screen.getByText(/50% vs\. previous period/)).toBeTruthy();
  expect(screen.getByText('640 ms')).toBeTruthy();
  expect(screen.getByText('10%')).toBeTruthy();
  const failed = new URL(screen.getByRole('link', { name: 'Error rate' }).getAttribute('href') ?? '', 'http://x');
  expect(failed.pathname).toBe('/panel/log');
  expect(failed.searchParams.get('log_type')).toBe('error');
  expect(Number(failed.searchParams.get('start_timestamp'))).toBeLessThan(Date.now() / 1000 - 28 * 86_400);
  expect(screen.queryByText('Get started')).toBeNull();
});

it('lists the models by spending or by requests', async () => {
  script('get', '/api/user/self', () => succeed(wireSelf));
  script('get', '/api/dashboard/self', () => succeed(busy));
  const { user, search } = show(page, '/panel/dashboard');
  const table = await screen.findByRole('table', { name: 'By model' });
  const first = () => within(table).getAllByRole('row')[1]?.textContent ?? '';
  expect(first()).toContain('large-one');
  expect(first()).toContain('66.7%');
  await user.click(within(table).getByRole('button', { name: 'Requests' }));
  await waitFor(() => expect(search()).toEqual({ order: 'requests' }));
  await user.click(within(table).getByRole('button', { name: 'Requests' }));
  await waitFor(() => expect(search()).toEqual({ order: '-requests' }));
  await waitFor(() => expect(first()).toContain('small-one'));
});

it('shows administrators that new calls are rejected, and why', async () => {
  script('get', '/api/user/self', () => succeed(wireSelfOf('admin')));
  script('get', '/api/dashboard/self', () => succeed(busy));
  script('get', '/api/load', () => succeed({ ...calm, shedding: true, refused: 41, delay: 260, memory: 0.5 }));
  show(page, '/panel/dashboard');
  const alert = await screen.findByText(/overloaded and rejects new calls/);
  expect(alert.textContent).toContain('delay 260 ms, memory 50%, 3 calls running, 41 rejected');
});

it('lets administrators see all users and keeps the choice in the URL', async () => {
  script('get', '/api/user/self', () => succeed(wireSelfOf('admin')));
  script('get', '/api/dashboard/self', () => succeed(busy));
  const everyone = script('get', '/api/dashboard', () => succeed(busy));
  const { user, search } = show(page, '/panel/dashboard');
  const spend = await screen.findByRole('link', { name: 'Spend' });
  // Administrators see all usage records, so the link must filter by user.
  expect(spend.getAttribute('href')).toContain('user_id=7');
  await user.click(screen.getByRole('button', { name: 'Everyone' }));
  // One call is for the period, the other for today.
  await waitFor(() => expect(everyone).toHaveLength(2));
  expect(search()).toEqual({ scope: 'everybody' });
  await waitFor(() =>
    expect(screen.getByRole('link', { name: 'Spend' }).getAttribute('href')).not.toContain('user_id'),
  );
});

const freshRoot = () => {
  script('get', '/api/user/self', () => succeed({ ...wireSelfOf('root'), request_count: 0 }));
  script('get', '/api/dashboard/self', () => succeed(quiet));
  script('get', '/api/status', () => succeed({ ...wireSite, server_address: '' }));
  script('get', '/api/prices/unpriced', () => succeed([]));
  script('get', '/api/channel/', () => succeed(wirePage([])));
  script('get', '/api/token/', () => succeed(wirePage([wireApiKey(1)])));
};

it('shows the setup steps to a new root user until they are hidden', async () => {
  freshRoot();
  const { user } = show(page, '/panel/dashboard');
  await screen.findByText('Get started');
  const steps = screen.getByRole('list');
  expect(within(steps).getAllByRole('listitem')).toHaveLength(5);
  expect(within(steps).getByRole('link', { name: 'New channel' }).getAttribute('href')).toBe('/panel/channel/new');
  // Without a channel no model needs a price.
  expect(within(steps).getByRole('link', { name: 'View prices' })).toBeTruthy();
  expect(within(steps).getAllByText(/done/)).toHaveLength(1);
  await user.click(screen.getByRole('button', { name: 'Hide' }));
  await waitFor(() => expect(screen.queryByText('Get started')).toBeNull());
});

it('hides the setup steps when all of them are done', async () => {
  freshRoot();
  script('get', '/api/user/self', () => succeed({ ...wireSelfOf('root'), request_count: 1 }));
  script('get', '/api/status', () => succeed({ ...wireSite, server_address: 'https://gate.example' }));
  script('get', '/api/channel/', () => succeed(wirePage([], 3)));
  show(page, '/panel/dashboard');
  await screen.findByText('No calls in this period.');
  expect(screen.queryByText('Get started')).toBeNull();
});

it('shows that there were no calls, and the next step', async () => {
  script('get', '/api/user/self', () => succeed({ ...wireSelf, request_count: 3 }));
  script('get', '/api/dashboard/self', () => succeed(quiet));
  show(page, '/panel/dashboard');
  expect(await screen.findByText('No calls in this period.')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Try a model' }).getAttribute('href')).toBe('/panel/playground');
});

it('shows an error when the figures cannot be loaded', async () => {
  script('get', '/api/user/self', () => succeed(wireSelf));
  script('get', '/api/dashboard/self', () => refuse('internal', 500, { request_id: 'req-9' }));
  show(page, '/panel/dashboard');
  expect(await screen.findByText(/req-9/)).toBeTruthy();
});

it('shows administrators the margin of the calls whose cost is known', async () => {
  script('get', '/api/user/self', () => succeed(wireSelfOf('root')));
  const margin = { charged: 1_000_000, cost: 250_000 };
  script('get', '/api/dashboard/self', () => succeed(quiet));
  script('get', '/api/dashboard', () => succeed({ ...busy, current: { ...busy.current, margin } }));
  show(page, '/panel/dashboard?scope=everybody');
  expect(await screen.findByText('$1.50')).toBeTruthy();
  expect(screen.getByText('on $2.00 with known cost')).toBeTruthy();
});

it('compares today with yesterday up to now', async () => {
  script('get', '/api/user/self', () => succeed(wireSelf));
  const today = { ...busy, current: { ...busy.current, quota: 750_000 }, before: busy.current };
  script('get', '/api/dashboard/self', ({ url }) => succeed(url.searchParams.get('days') === '1' ? today : busy));
  show(page, '/panel/dashboard');
  const strip = within(await screen.findByRole('region', { name: 'Today' }));
  expect(await strip.findByText('$1.50')).toBeTruthy();
  expect(strip.getByText('50% less than yesterday at this time')).toBeTruthy();
  expect(await strip.findByText('3 / 60 requests')).toBeTruthy();
  expect(strip.getByText('1.2K model tokens')).toBeTruthy();
});

it('shows the period by day with links to its calls', async () => {
  script('get', '/api/user/self', () => succeed(wireSelf));
  script('get', '/api/dashboard/self', () => succeed(busy));
  const { user, search } = show(page, '/panel/dashboard?order=model');
  await user.click(await screen.findByRole('button', { name: 'By day' }));
  const table = await screen.findByRole('table', { name: 'By day' });
  expect(search()).toEqual({ by: 'day' });
  const rows = within(table).getAllByRole('row');
  expect(rows).toHaveLength(8);
  expect(rows[1]?.textContent).toContain('$2.00');
  expect(rows[2]?.textContent).toContain('500 ms');
});

it('shows the API’s URL and the invitation link, but no token', async () => {
  script('get', '/api/user/self', () => succeed(wireSelf));
  script('get', '/api/dashboard/self', () => succeed(quiet));
  show(page, '/panel/dashboard');
  expect(await screen.findByText(/\/register\?aff=ab12$/)).toBeTruthy();
  expect(await screen.findByText(/YOUR_TOKEN/)).toBeTruthy();
});
