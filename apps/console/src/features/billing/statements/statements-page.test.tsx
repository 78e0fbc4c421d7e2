import type { Statement } from '@switchyard/contract/billing/statements';
import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { refuse, script, succeed } from '../../../testing/mock-api-server.ts';
import { show, showApp } from '../../../testing/render.tsx';
import { wirePage, wireSelf, wireSelfOf, wireSite } from '../../../testing/wire-samples.ts';
import { StatementsPage } from './statements-page.tsx';

/** Wire form of a type, in which points are plain numbers. */
type Wire<T> = T extends number ? number : T extends object ? { [Name in keyof T]: Wire<T[Name]> } : T;

const month = {
  date: '2026-10-01',
  request_count: 12,
  quota: 1_500_000,
  prompt_tokens: 900,
  completion_tokens: 100,
  request_time: 4_000,
};
const statement: Wire<Statement> = {
  date: '2026-10-01',
  number: '202610-7',
  issuer: { name: 'Example Ltd', address: 'Street 1\nTown', tax_id: '12-34', contact: '' },
  note: 'Thank you',
  username: 'ada',
  display_name: 'Ada',
  email: 'ada@example.com',
  group: 'default',
  opening: 1_000_000,
  closing: -500_000,
  movements: { charges: -1_500_000, top_ups: 0, refunds: 0, gifts: 0, adjustments: 0 },
  models: [
    { ...month, model_name: 'gpt-4o', quota: 1_400_000 },
    { ...month, model_name: '', quota: 100_000, request_count: 0, prompt_tokens: 0, completion_tokens: 0 },
  ],
  payments: [{ trade_no: 'T1', paid_at: 1_790_000_000, amount: 73, currency: 'CNY', refunded: 3, quota: 5_000_000 }],
  final: true,
  generated_at: 1_793_000_000,
};

beforeEach(() => {
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/user/self', () => succeed(wireSelf));
  script('get', '/api/notice', () => succeed(''));
});

it('lists the months with their charges and downloads', async () => {
  const asked = script('get', '/api/user/invoice', () => succeed(wirePage([month])));
  show(<StatementsPage />, '/panel/invoice?order=quota');
  expect((await screen.findAllByText('October 2026')).length).toBeGreaterThan(0);
  expect(asked[0]?.url.searchParams.get('order')).toBe('quota');
  expect(screen.getAllByText('$3.00').length).toBeGreaterThan(0);
  const pdf = new URL(screen.getByRole('link', { name: 'October 2026 as PDF' }).getAttribute('href') ?? '', 'http://x');
  expect(pdf.pathname + pdf.search).toBe('/api/user/invoice/pdf?date=2026-10-01');
  expect(screen.queryByText('Statements for all users')).toBeNull();
});

it('shows the next step when there are no months', async () => {
  script('get', '/api/user/invoice', () => succeed(wirePage([])));
  show(<StatementsPage />, '/panel/invoice');
  expect(await screen.findByText(/has not changed yet/)).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Top up' }).getAttribute('href')).toBe('/panel/topup');
});

it('shows a month as a printable statement whose sums match', async () => {
  const asked = script('get', '/api/user/invoice/statement', () => succeed(statement));
  const print = vi.spyOn(window, 'print').mockImplementation(() => {});
  const { user } = showApp('/panel/invoice/2026-10-01');
  const balance = await screen.findByRole('table', { name: 'Balance' });
  expect(asked[0]?.url.searchParams.get('date')).toBe('2026-10-01');
  const rows = within(balance)
    .getAllByRole('row')
    .map((row) => row.textContent);
  expect(rows).toEqual([
    'DescriptionPointsAmount',
    'Opening balance1,000,000$2.00',
    'Calls-1,500,000-$3.00',
    'Closing balance-500,000-$1.00',
  ]);
  const models = within(screen.getByRole('table', { name: 'Calls by model' })).getAllByRole('row');
  expect(models[2]?.textContent).toContain('Charges without a usage record');
  expect(models.at(-1)?.textContent).toBe('Total129001001,500,000$3.00');
  const payments = within(screen.getByRole('table', { name: 'Payments' })).getAllByRole('row');
  expect(payments[1]?.textContent).toMatch(/T1CN¥73\.00CN¥3\.005,000,000$/);
  for (const text of ['Example Ltd', '202610-7', 'Tax ID: 12-34', 'Thank you'])
    expect(screen.getByText(text)).toBeTruthy();
  expect(screen.queryByText('Month in progress')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Print' }));
  expect(print).toHaveBeenCalledOnce();
  expect(screen.getByRole('link', { name: 'CSV' }).getAttribute('href')).toBe('/api/user/invoice/csv?date=2026-10-01');
});

it('marks a month that is not over and explains a missing statement', async () => {
  script('get', '/api/user/invoice/statement', () => succeed({ ...statement, final: false }));
  showApp('/panel/invoice/2026-10-01');
  expect(await screen.findByText('Month in progress')).toBeTruthy();
  script('get', '/api/user/invoice/statement', () => refuse('not-found', 404, { request_id: 'req-3' }));
  showApp('/panel/invoice/2099-01-01');
  expect(await screen.findByText(/req-3/)).toBeTruthy();
});

it('lets root create missing statements and asks before recreating all', async () => {
  script('get', '/api/user/self', () => succeed(wireSelfOf('root')));
  script('get', '/api/user/invoice', () => succeed(wirePage([month])));
  vi.setSystemTime(new Date('2026-11-21T12:00:00Z'));
  const missing = script('post', '/api/option/invoice/gen/2026-10-01', () => succeed(null));
  const anew = script('post', '/api/option/invoice/update/2026-10-01', () => succeed(null));
  const { user } = show(<StatementsPage />, '/panel/invoice');
  await user.click(await screen.findByRole('button', { name: 'Generate missing' }));
  await waitFor(() => expect(missing).toHaveLength(1));
  await user.click(screen.getByRole('button', { name: 'Regenerate all' }));
  const dialog = await screen.findByRole('alertdialog');
  expect(anew).toHaveLength(0);
  await user.click(within(dialog).getByRole('button', { name: 'Regenerate all' }));
  await waitFor(() => expect(anew).toHaveLength(1));
  vi.useRealTimers();
});
