import type { Role } from '@switchyard/contract/wire-enums';
import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { script, succeed } from '../../../testing/mock-api-server.ts';
import { showApp } from '../../../testing/render.tsx';
import { wireNoFactor, wirePage, wireSelfOf, wireSite } from '../../../testing/wire-samples.ts';
import { wireDetail, wireRecord, wireTotals } from './usage-records.samples.ts';

const ADMIN = 'admin';
const USER = 'user';

function showLog(role: Role, search = '') {
  script('get', '/api/user/self', () => succeed(wireSelfOf(role)));
  return showApp(`/panel/log${search}`);
}

beforeEach(() => {
  window.scrollTo = () => {};
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/user/second_factor', () => succeed(wireNoFactor));
  script('get', '/api/notice', () => succeed(''));
  script('get', '/api/user_group_map', () => succeed({}));
  script('get', '/api/user_group/', () => succeed(wirePage([])));
});

it('shows administrators all users’ records with the totals of the filter', async () => {
  const rows = [wireRecord(1), wireRecord(2, { type: 5, content: 'no channel answered' })];
  const lists = script('get', '/api/log/', () => succeed(wirePage(rows)));
  const totals = script('get', '/api/log/stat', () => succeed(wireTotals));
  showLog(ADMIN, '?log_type=consume&channel_id=5&user_id=7&is_stream=true&model_name=gpt-5');
  const wanted = { log_type: '2', channel_id: '5', user_id: '7', is_stream: 'true', model_name: 'gpt-5' };
  expect(await screen.findByText('$1.00')).toBeTruthy();
  expect(Object.fromEntries(lists[0]?.url.searchParams ?? [])).toMatchObject(wanted);
  expect(Object.fromEntries(totals[0]?.url.searchParams ?? [])).toMatchObject(wanted);
  expect(screen.getByText('User: ada')).toBeTruthy();
  expect(screen.getByText('Channel ID: openai-eu')).toBeTruthy();
});

it('shows users their own records without the columns for administrators', async () => {
  script('get', '/api/log/self', () => succeed(wirePage([wireRecord(1, { channel: null })])));
  script('get', '/api/log/self/stat', () => succeed(wireTotals));
  showLog(USER);
  await screen.findByText('gpt-5');
  expect(screen.queryByRole('columnheader', { name: 'Channel' })).toBeNull();
  const link = screen.getByRole<HTMLAnchorElement>('link', { name: 'Export CSV' });
  expect(new URL(link.href).pathname).toBe('/api/log/self/export');
});

it('turns a request id in the search box into its filter', async () => {
  script('get', '/api/log/', () => succeed(wirePage([wireRecord(1)])));
  script('get', '/api/log/stat', () => succeed(wireTotals));
  const { user, router } = showLog(ADMIN);
  await user.type(await screen.findByRole('searchbox'), '1m7xxfbwe0000ttn0p{Enter}');
  await waitFor(() => expect(router.state.location.search).toEqual({ request_id: '1m7xxfbwe0000ttn0p' }));
  await user.click(screen.getByRole('button', { name: 'Remove filter: Request ID' }));
  await waitFor(() => expect(router.state.location.search).toEqual({}));
});

it('filters by a user’s name as well as the id', async () => {
  const lists = script('get', '/api/log/', () => succeed(wirePage([wireRecord(1)])));
  script('get', '/api/log/stat', () => succeed(wireTotals));
  const { user } = showLog(ADMIN);
  for (const typed of ['ada', '7']) {
    await user.click(await screen.findByRole('button', { name: 'More filters' }));
    await user.click(screen.getByRole('menuitem', { name: 'User' }));
    await user.type(await screen.findByRole('textbox', { name: 'User' }), `${typed}{Enter}`);
  }
  const asked = () => Object.fromEntries(lists.at(-1)?.url.searchParams ?? []);
  await waitFor(() => expect(asked()).toMatchObject({ username: 'ada', user_id: '7' }));
});

it('adds a filter and requests a time range by its preset', async () => {
  const lists = script('get', '/api/log/', () => succeed(wirePage([wireRecord(1)])));
  script('get', '/api/log/stat', () => succeed(wireTotals));
  const { user, router } = showLog(ADMIN);
  await user.click(await screen.findByRole('button', { name: 'More filters' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Username' }));
  await user.type(await screen.findByRole('textbox', { name: 'Username' }), 'ada{Enter}');
  await waitFor(() => expect(router.state.location.search).toEqual({ username: 'ada' }));
  await user.click(within(screen.getByRole('search')).getByRole('button', { name: 'Time' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Last hour' }));
  await waitFor(() => expect(router.state.location.search).toEqual({ username: 'ada', time: '1h' }));
  await waitFor(() => {
    const start = Number(lists.at(-1)?.url.searchParams.get('start_timestamp'));
    expect(Math.abs(Date.now() / 1000 - 3600 - start)).toBeLessThan(30);
  });
});

it('explains a charge whose parts add up, with a link to it', async () => {
  script('get', '/api/log/', () => succeed(wirePage([wireRecord(4)])));
  script('get', '/api/log/stat', () => succeed(wireTotals));
  const attempt = {
    channel_id: 5,
    upstream_model: 'gpt-5',
    served_model: '',
    key_hint: '',
    message: '',
    duration: 100,
    verdicts: [],
  };
  const attempts = [
    { ...attempt, channel_name: 'first', status: 429, started_after: 0, outcome: 'rate-limited' as const },
    { ...attempt, channel_name: 'second', status: 200, started_after: 400, outcome: 'answered' as const },
  ];
  script('get', '/api/log/4', () => succeed(wireDetail(4, { attempts, dropped: ['logit_bias'] })));
  showLog(ADMIN, '?open=4');
  const drawer = await screen.findByRole('dialog');
  expect(await within(drawer).findByText('$0.0015425')).toBeTruthy();
  expect(within(drawer).getByText('$1.25 / 1M')).toBeTruthy();
  expect(within(drawer).getByText('= 3,564.375')).toBeTruthy();
  expect(within(drawer).getByText('3,565 points = $0.00713')).toBeTruthy();
  expect(within(drawer).getByText('Charged, rounded up to a whole point')).toBeTruthy();
  expect(within(drawer).getByText('Rate limited · 429')).toBeTruthy();
  expect(within(drawer).getByText('Queue and earlier attempts')).toBeTruthy();
  expect(within(drawer).getByText('logit_bias')).toBeTruthy();
  expect(within(drawer).getByText('1m7xxfbwe0000ttn0p')).toBeTruthy();
});

const wireVerdict = { channel_id: 5, channel_name: 'first', until: 0, lacks: '' };
const wireAttempt = {
  channel_id: 5,
  channel_name: 'first',
  upstream_model: 'gpt-5-2026',
  served_model: '',
  key_hint: '',
  status: 503,
  started_after: 0,
  duration: 100,
  outcome: 'overloaded' as const,
  message: 'try later',
  verdicts: [],
};

it('shows administrators why each channel was selected and the others were not', async () => {
  script('get', '/api/log/', () => succeed(wirePage([wireRecord(4)])));
  script('get', '/api/log/stat', () => succeed(wireTotals));
  const second = { ...wireVerdict, channel_id: 6, channel_name: 'second' };
  const verdicts = [
    { ...wireVerdict, reason: 'lower-priority' as const },
    { ...second, reason: 'warm' as const },
    { ...wireVerdict, channel_id: 7, channel_name: 'third', reason: 'lacks' as const, lacks: 'images' },
    { ...wireVerdict, channel_id: 8, channel_name: '', reason: 'open' as const, until: 1_700_000_000 },
  ];
  const attempts = [
    wireAttempt,
    { ...wireAttempt, channel_id: 6, channel_name: 'second', started_after: 400, verdicts },
  ];
  script('get', '/api/log/4', () => succeed(wireDetail(4, { attempts, requested_model: 'gpt-6', batch: 'batch_5' })));
  showLog(ADMIN, '?open=4');
  const drawer = await screen.findByRole('dialog');
  expect(await within(drawer).findByText('gpt-6 requested, served by gpt-5')).toBeTruthy();
  expect(within(drawer).getByText('batch_5')).toBeTruthy();
  expect(within(drawer).getByText('has this conversation in its cache · 3 other channels')).toBeTruthy();
  const others = [...drawer.querySelectorAll('details li')].map(({ textContent }) => textContent);
  expect(others).toEqual([
    'first – lower priority',
    'third – does not support: Images',
    expect.stringMatching(/^#8 – circuit breaker open until .*2023/),
  ]);
  expect(within(drawer).getByRole('link', { name: 'first' })).toBeTruthy();
});

it('draws all attempts on the time axis of the whole request', async () => {
  script('get', '/api/log/', () => succeed(wirePage([wireRecord(4)])));
  script('get', '/api/log/stat', () => succeed(wireTotals));
  const attempts = [wireAttempt, { ...wireAttempt, started_after: 1000, duration: 1000 }];
  script('get', '/api/log/4', () => succeed(wireDetail(4, { attempts, request_time: 2000 })));
  showLog(ADMIN, '?open=4');
  const axis = await screen.findByRole('img', { name: 'Time since the request arrived' });
  expect(axis.textContent).toBe('0 ms1 sec2 sec');
  const widths = Array.from(document.querySelectorAll<HTMLElement>('li [style*="width"]'), ({ style }) => style.width);
  expect(widths).toEqual(['5%', '50%']);
});

it('shows users a failed attempt without its channel', async () => {
  script('get', '/api/log/self', () => succeed(wirePage([wireRecord(4, { channel: null })])));
  script('get', '/api/log/self/stat', () => succeed(wireTotals));
  const hidden = { channel_id: null, channel_name: '', upstream_model: '', message: '' };
  const attempts = [{ ...wireAttempt, ...hidden }];
  script('get', '/api/log/self/4', () => succeed(wireDetail(4, { attempts, channel: null })));
  showLog(USER, '?open=4');
  const drawer = await screen.findByRole('dialog');
  const attempt = (await within(drawer).findByText('Attempt 1')).closest('li');
  if (attempt === null) throw new Error('the attempt is not in a list item');
  expect(within(attempt).getByText('Overloaded · 503')).toBeTruthy();
  expect(within(attempt).queryByRole('link')).toBeNull();
});

it('refetches the newest records while it is live', async () => {
  const lists = script('get', '/api/log/', () => succeed(wirePage([wireRecord(lists.length + 1)])));
  script('get', '/api/log/stat', () => succeed(wireTotals));
  const { user } = showLog(ADMIN);
  await user.click(await screen.findByRole('button', { name: 'Live' }));
  const before = lists.length;
  await waitFor(() => expect(lists.length).toBeGreaterThan(before));
  expect(screen.getByRole('button', { name: 'Live', pressed: true })).toBeTruthy();
});

it('shows the tier, the token’s ratio and the units, and the margin to administrators', async () => {
  script('get', '/api/log/', () => succeed(wirePage([wireRecord(5)])));
  script('get', '/api/log/stat', () => succeed(wireTotals));
  const plain = wireDetail(5);
  const line = {
    counter: 'webSearch',
    model: '',
    variant: '',
    quantity: 2,
    rate: 5_000_000_000_000,
    amount: '10000000000000',
    undiscounted: false,
  };
  const receipt = plain.receipt && {
    ...plain.receipt,
    tier_above: 200_000,
    token_ratio: 1.25,
    batch_ratio: null,
    capped: true,
    lines: [line, { ...line, counter: 'image', model: 'picture-1', variant: '1024x1024/hd', quantity: 1 }],
  };
  script('get', '/api/log/5', () => succeed(wireDetail(5, { receipt, quota: 500_000, cost: 400_000 })));
  showLog(ADMIN, '?open=5');
  const drawer = await screen.findByRole('dialog');
  expect(await within(drawer).findByText('$0.01 / call')).toBeTruthy();
  expect(within(drawer).getByText('1024x1024/hd')).toBeTruthy();
  expect(within(drawer).getByText('picture-1')).toBeTruthy();
  expect(within(drawer).getByText(/more than 200,000 tokens/)).toBeTruthy();
  expect(within(drawer).getByText('× 1.25')).toBeTruthy();
  expect(within(drawer).getByText(/was corrected/)).toBeTruthy();
  expect(within(drawer).getByText('$0.20 (20% of the price)')).toBeTruthy();
});

it('shows no charge basis for a call without a charge', async () => {
  const failed = { type: 5, content: 'no channel answered', usage_source: 'none', quota: 0 } as const;
  script('get', '/api/log/', () => succeed(wirePage([wireRecord(6, failed)])));
  script('get', '/api/log/6', () => succeed(wireDetail(6, { ...failed, receipt: null, ending: 'upstream-failed' })));
  script('get', '/api/log/stat', () => succeed(wireTotals));
  showLog(ADMIN, '?open=6');
  const receipt = within(await screen.findByRole('dialog'));
  expect(await receipt.findByText('Not counted')).toBeTruthy();
  expect(receipt.queryByText('Charge basis')).toBeNull();
});
