import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { refuse, script, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wireSelfOf, wireSite } from '../../../testing/wire-samples.ts';
import { MoneyPage } from './money-overview-page.tsx';

const page = <MoneyPage />;
const nothing = {
  income: [],
  codes: { redeemed: 0, quota: 0, outstanding: 0, outstanding_quota: 0 },
  gifts: 0,
  adjustments: 0,
  charged: 0,
  cost: 0,
  costed: 0,
  liabilities: 0,
  debts: 0,
};
const cny = { currency: 'CNY', orders: 2, income: 146, refunds: 10, fees: 0.3, quota: 10_000_000 };
const busy = {
  ...nothing,
  income: [cny, { ...cny, currency: 'JPY', income: 1_500 }],
  codes: { redeemed: 3, quota: 1_500_000, outstanding: 1, outstanding_quota: 500_000 },
  gifts: 250_000,
  adjustments: -50_000,
  charged: 2_000_000,
  cost: 400_000,
  costed: 1_000_000,
  liabilities: 9_000_000,
  debts: 100_000,
};
const sales = (key: string, charged: number, cost: number, costed = charged) => ({
  key,
  requests: 5,
  charged,
  cost,
  costed,
});

beforeEach(() => {
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/user/self', () => succeed(wireSelfOf('admin')));
  script('get', '/api/money/income', ({ url }) =>
    succeed(url.searchParams.get('by') === 'processor' ? [{ key: 'Bank', ...cny }] : []),
  );
  script('get', '/api/money/sales', ({ url }) =>
    succeed(
      url.searchParams.get('by') === 'group' ? [sales('default', 1_000_000, 0, 0), sales('vip', 500_000, 100_000)] : [],
    ),
  );
});

/** Responds with `current` for the range that ends now, and with `before` for the earlier one. */
function scriptOverview(current: object, before: object) {
  const now = Date.now() / 1000;
  return script('get', '/api/money/overview', ({ url }) =>
    succeed(Number(url.searchParams.get('end_timestamp')) > now - 3600 ? current : before),
  );
}

const linkOf = (name: string) => new URL(screen.getByRole('link', { name }).getAttribute('href') ?? '', 'http://x');

it('shows the figures of the period with links to their lists', async () => {
  const asked = scriptOverview(busy, { ...busy, income: [{ ...cny, income: 73 }], charged: 1_000_000 });
  show(page, '/panel/money?period=30d');
  expect(await screen.findByText('CN¥146.00')).toBeTruthy();
  expect(screen.getByText('2 orders, CN¥10.00 refunded, fees $0.30')).toBeTruthy();
  expect(await screen.findAllByText(/\+100% vs\. previous period/)).toHaveLength(2);
  expect(screen.getByText('known for 50% of charges')).toBeTruthy();
  expect(screen.getByText('60% of $2.00 with known cost')).toBeTruthy();
  expect(screen.getByText('3 codes')).toBeTruthy();
  expect(screen.getByText('1 code at present')).toBeTruthy();
  expect(screen.getByText('$18.00')).toBeTruthy();

  const start = Math.max(...asked.map(({ url }) => Number(url.searchParams.get('start_timestamp'))));
  expect(start % 86_400).toBe(0);
  await screen.findByRole('link', { name: 'Owed to users' });
  expect(linkOf('Paid in CNY').pathname).toBe('/panel/payment');
  expect(linkOf('Paid in CNY').searchParams.get('start_timestamp')).toBe(String(start));
  expect(linkOf('Charged for calls').pathname).toBe('/panel/log');
  expect(linkOf('Codes redeemed').pathname).toBe('/panel/redemption');
  expect(linkOf('Codes redeemed').searchParams.get('tab')).toBe('codes');
  expect(linkOf('Owed to users').searchParams.get('order')).toBe('-quota');
  expect(linkOf('Owed by users').searchParams.get('order')).toBe('quota');
});

it('compares with a previous period of the same length', async () => {
  const asked = scriptOverview(nothing, nothing);
  show(page, '/panel/money?period=today');
  await waitFor(() => expect(asked).toHaveLength(2));
  const [one = 0, other = 0] = asked.map(({ url }) => Number(url.searchParams.get('start_timestamp')));
  expect(Math.abs(one - other)).toBe(86_400);
});

it('keeps period and breakdown in the URL', async () => {
  scriptOverview(busy, nothing);
  const { user, search } = show(page, '/panel/money');
  const table = await screen.findByRole('table', { name: 'Margin by group' });
  await within(table).findByText('default');
  const cells = within(table)
    .getAllByRole('row')
    .map((row) => row.textContent);
  expect(cells[1]).toContain('default');
  // A model without a known cost has no margin.
  expect(cells[1]).toContain('–');
  expect(cells[2]).toContain('80%');
  await user.click(screen.getByRole('button', { name: 'This month' }));
  await waitFor(() => expect(search()).toEqual({ period: 'month' }));
  await user.click(await screen.findByRole('button', { name: 'Payment provider' }));
  await waitFor(() => expect(search()).toEqual({ period: 'month', by: 'processor' }));
  expect(await screen.findByRole('table', { name: /Income by payment provider/ })).toBeTruthy();
  expect((await screen.findAllByText('Bank')).length).toBeGreaterThan(0);
});

it('links only to screens that the user may open', async () => {
  script('get', '/api/user/self', () => succeed(wireSelfOf('staff', ['money.read'])));
  scriptOverview(busy, nothing);
  show(page, '/panel/money');
  expect(await screen.findByText('CN¥146.00')).toBeTruthy();
  expect(screen.queryByRole('link')).toBeNull();
});

it('shows an error with its request id when the figures cannot be loaded', async () => {
  script('get', '/api/money/overview', () => refuse('internal', 500, { request_id: 'req-5' }));
  show(page, '/panel/money');
  expect(await screen.findByText(/req-5/)).toBeTruthy();
});
