import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { refuse, script, succeed } from '../../../testing/mock-api-server.ts';
import { wireOrder } from '../../../testing/order-samples.ts';
import { show } from '../../../testing/render.tsx';
import { wirePage, wireSelfOf, wireSite } from '../../../testing/wire-samples.ts';
import { OrdersPage } from './orders-page.tsx';

const ADDRESS = '/panel/payment';
const page = <OrdersPage />;
const detail = (more: Parameters<typeof wireOrder>[1] = {}) => ({
  ...wireOrder(1, more),
  events: [
    { created_at: 1_790_000_000, event: 'created', username: null, detail: '' },
    { created_at: 1_790_000_060, event: 'completed', username: 'grace', detail: 'seen at the bank' },
  ],
});

beforeEach(() => {
  window.scrollTo = () => {};
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/user/self', () => succeed(wireSelfOf('admin')));
  script('get', '/api/payment/', () => succeed(wirePage([])));
  script('get', '/api/payment/order', () => succeed(wirePage([wireOrder(1)])));
  script('get', '/api/payment/order/totals', () =>
    succeed([
      { currency: 'CNY', orders: 12, paid: 10, paid_amount: 730, refunded_amount: 73, quota: 50_000_000 },
      { currency: 'USD', orders: 1, paid: 1, paid_amount: 10, refunded_amount: 0, quota: 5_000_000 },
    ]),
  );
  script('get', '/api/payment/order/1', () => succeed(detail()));
});

const open = async (address = `${ADDRESS}?open=1`) => {
  const shown = show(page, address);
  const drawer = await screen.findByRole('dialog', { name: 'Order' });
  await within(drawer).findByText('Timeline');
  return { ...shown, drawer };
};

it('requests the filters of the URL, sums each currency separately and exports the same rows', async () => {
  const lists = script('get', '/api/payment/order', () => succeed(wirePage([wireOrder(1)])));
  const sums = script('get', '/api/payment/order/totals', () =>
    succeed([
      { currency: 'CNY', orders: 12, paid: 10, paid_amount: 730, refunded_amount: 73, quota: 50_000_000 },
      { currency: 'USD', orders: 1, paid: 1, paid_amount: 10, refunded_amount: 0, quota: 5_000_000 },
    ]),
  );
  show(page, `${ADDRESS}?status=success&review=true&user_id=7&gateway_id=3`);
  const asked = { status: 'success', review: 'true', user_id: '7', gateway_id: '3' };
  expect(await screen.findByText('CN¥730.00')).toBeTruthy();
  expect(screen.getByText('10 of 12 paid')).toBeTruthy();
  expect(screen.getByText('CN¥73.00 refunded')).toBeTruthy();
  expect(screen.getByText('$10.00', { selector: 'span' })).toBeTruthy();
  expect(Object.fromEntries(lists[0]?.url.searchParams ?? [])).toMatchObject(asked);
  expect(Object.fromEntries(sums[0]?.url.searchParams ?? [])).toEqual(asked);
  const link = screen.getByRole<HTMLAnchorElement>('link', { name: 'Export CSV' });
  expect(new URL(link.href).pathname).toBe('/api/payment/order/export');
  expect(Object.fromEntries(new URL(link.href).searchParams)).toEqual(asked);
});

it('searches by order number if the text looks like one, otherwise by user name', async () => {
  const { user, search } = show(page, ADDRESS);
  const box = await screen.findByRole('searchbox', { name: 'Username or order number' });
  await user.type(box, '20261121083012ab{Enter}');
  await waitFor(() => expect(search()).toEqual({ trade_no: '20261121083012ab' }));
  await user.click(screen.getByRole('button', { name: 'Clear' }));
  await user.clear(box);
  await user.type(box, 'ada{Enter}');
  await waitFor(() => expect(search()).toEqual({ username: 'ada' }));
});

it('shows the timeline with its actors and links to the user and the payment provider', async () => {
  const { drawer } = await open();
  expect(within(drawer).getByText('Completed manually')).toBeTruthy();
  expect(within(drawer).getByText('grace')).toBeTruthy();
  const user = await within(drawer).findByRole<HTMLAnchorElement>('link', { name: 'ada' });
  expect(user.href).toMatch(/\/panel\/user\/7$/);
  const gateway = within(drawer).getByRole<HTMLAnchorElement>('link', { name: 'Alipay' });
  expect(gateway.href).toMatch(/\/panel\/payment_gateway\?edit=3$/);
});

it('refunds the refundable amount or a part of it, but never more', async () => {
  script('get', '/api/payment/order/1', () => succeed(detail({ refunded_amount: 23 })));
  const refunds = script('post', '/api/payment/order/1/refund', () => succeed(wireOrder(1)));
  const { user, drawer } = await open();
  await user.click(await within(drawer).findByRole('button', { name: 'Refund' }));
  const dialog = await screen.findByRole('dialog', { name: 'Refund order' });
  const amount = within(dialog).getByLabelText<HTMLInputElement>('Refund amount');
  expect(amount.value).toBe('50');
  const submit = within(dialog).getByRole('button', { name: 'Refund' });
  const tries = [
    ['50.01', 'At most 50'],
    ['0', 'At least 0.01'],
    ['-1', 'At least 0.01'],
    ['1.005', 'Invalid value'],
    ['ten', 'Enter a number'],
  ] as const;
  await user.type(within(dialog).getByLabelText('Reason'), 'asked for it');
  for (const [text, message] of tries) {
    await user.clear(amount);
    await user.type(amount, text);
    await user.click(submit);
    expect(await within(dialog).findByText(message)).toBeTruthy();
  }
  expect(refunds).toEqual([]);
  await user.clear(amount);
  await user.type(amount, '12.5');
  await user.click(within(dialog).getByRole('switch', { name: 'Allow a negative balance' }));
  await user.click(submit);
  await screen.findByText('Refund started');
  expect(refunds[0]?.body).toEqual({ amount: 12.5, reason: 'asked for it', may_leave_debt: true, outside: false });
});

it('offers only a refund outside of a payment provider that does not support refunds', async () => {
  script('get', '/api/payment/order/1', () => succeed(detail({ gateway_type: 'manual' })));
  const { user, drawer } = await open();
  await user.click(await within(drawer).findByRole('button', { name: 'Refund' }));
  const dialog = await screen.findByRole('dialog', { name: 'Refund order' });
  const outside = within(dialog).getByRole<HTMLInputElement>('switch', {
    name: 'Refund outside of the payment provider',
  });
  expect([outside.checked, outside.disabled]).toEqual([true, true]);
});

it.each([
  ['Complete', 'complete', 'Complete this order manually?', 'Order completed'],
  ['Close', 'close', 'Close this order?', 'Order closed'],
  ['Mark as reviewed', 'resolve', 'Mark this order as reviewed?', 'Marked as reviewed'],
])('asks for a reason before %s', async (verb, path, title, done) => {
  script('get', '/api/payment/order/1', () =>
    succeed(detail({ status: 'pending', paid_at: null, review: 'amount-differs' })),
  );
  const sent = script('post', `/api/payment/order/1/${path}`, () => succeed(wireOrder(1)));
  const { user, drawer } = await open();
  expect(within(drawer).getByText(/The paid amount differs/)).toBeTruthy();
  const buttons = await within(drawer).findAllByRole('button', { name: verb });
  await user.click(buttons.at(-1) ?? drawer);
  const dialog = await screen.findByRole('dialog', { name: title });
  await user.type(within(dialog).getByLabelText('Reason'), 'no');
  await user.click(within(dialog).getByRole('button', { name: verb }));
  expect(await within(dialog).findByText('At least 3 characters')).toBeTruthy();
  expect(sent).toEqual([]);
  await user.type(within(dialog).getByLabelText('Reason'), ' doubt');
  await user.click(within(dialog).getByRole('button', { name: verb }));
  await screen.findByText(done);
  expect(sent[0]?.body).toEqual({ reason: 'no doubt' });
});

it('explains a refusal and keeps the form open', async () => {
  const message = '9 points cannot be deducted: only 5 of the balance are available.';
  script('post', '/api/payment/order/1/refund', () => refuse('insufficient-balance', 402, { message }));
  const { user, drawer } = await open();
  await user.click(await within(drawer).findByRole('button', { name: 'Refund' }));
  const dialog = await screen.findByRole('dialog', { name: 'Refund order' });
  await user.type(within(dialog).getByLabelText('Reason'), 'asked for it');
  await user.click(within(dialog).getByRole('button', { name: 'Refund' }));
  expect(await screen.findByText(message)).toBeTruthy();
  expect(screen.getByRole('dialog', { name: 'Refund order' })).toBeTruthy();
});

it('checks the order at the payment provider and shows the result', async () => {
  script('get', '/api/payment/order/1', () => succeed(detail({ status: 'pending', paid_at: null })));
  script('post', '/api/payment/order/1/check', () => succeed(wireOrder(1)));
  const { user, drawer } = await open();
  await user.click(await within(drawer).findByRole('button', { name: 'Check now' }));
  expect(await screen.findByText('Status at the payment provider: Paid')).toBeTruthy();
});

it('offers no actions to read-only users', async () => {
  script('get', '/api/user/self', () => succeed(wireSelfOf('staff', ['orders.read'])));
  const { drawer } = await open();
  expect(within(drawer).queryByRole('button', { name: 'Refund' })).toBeNull();
  expect(within(drawer).queryByRole('link')).toBeNull();
});
