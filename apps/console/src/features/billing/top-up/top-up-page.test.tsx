import { MICROS, toMajorUnits, topUpCost } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, type MockInstance, vi } from 'vitest';
import { refuse, script, succeed } from '../../../testing/mock-api-server.ts';
import { wireOffer, wireOwnOrder, wirePendingOrder } from '../../../testing/order-samples.ts';
import { show } from '../../../testing/render.tsx';
import { wirePage, wireSelf, wireSite } from '../../../testing/wire-samples.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { useCurrentUser } from '../../accounts/session/queries.ts';
import { TopUpPage } from './top-up-page.tsx';

const ADDRESS = '/panel/topup';
/** Stands for the panel's drawer, which shows the balance too. */
function DrawerBalance() {
  return <p>{useFormat().points(useCurrentUser()?.quota)}</p>;
}

const page = (
  <>
    <DrawerBalance />
    <TopUpPage />
  </>
);
const stripe = wireOffer('s', {
  name: 'Card',
  type: 'stripe',
  currency: 'USD',
  exchange_rate: 1,
  fixed_fee: 0.3,
  percent_fee: 0.029,
  sandbox: true,
});
const terms = {
  inviter_reward: 500_000,
  invitee_reward: 0,
  share_percent: 5,
  share_top_ups: 3,
  rewards_per_month: 0,
  invited: 2,
  earned: 1_000_000,
};

let balance = 5_000_000;

beforeEach(() => {
  balance = 5_000_000;
  window.scrollTo = () => {};
  vi.spyOn(window, 'open').mockReturnValue(null);
  script('get', '/api/status', () =>
    succeed({ ...wireSite, PaymentMinAmount: 5, RechargeDiscount: '{"10":1,"100":0.9}' }),
  );
  script('get', '/api/user/self', () => succeed({ ...wireSelf, quota: balance }));
  script('get', '/api/user_group_map', () => succeed({}));
  script('get', '/api/user/payment', () => succeed([wireOffer('a'), stripe]));
  script('get', '/api/user/order', () => succeed(wirePage([])));
  script('get', '/api/user/aff', () => succeed('FRIEND'));
  script('get', '/api/user/invitations/terms', () => succeed(terms));
});

afterEach(() => vi.restoreAllMocks());

const idempotencyKeys = ({ mock }: MockInstance<typeof fetch>) =>
  mock.calls.flatMap(([, init]) => (init?.method === 'POST' ? [new Headers(init.headers).get('idempotency-key')] : []));

const amountField = () => screen.findByLabelText('Amount in US dollars');

it.each([
  ['0', 'Enter a whole number above 0'],
  ['-5', 'Enter a whole number above 0'],
  ['7.5', 'Enter a whole number above 0'],
  ['4', 'The minimum is $5.00'],
  ['1000001', 'The maximum is 1000000'],
])('explains why the amount %s is invalid and creates no order', async (text, message) => {
  const made = script('post', '/api/user/order', () => succeed(null));
  const { user } = show(page, ADDRESS);
  const field = await amountField();
  await user.clear(field);
  await user.type(field, `${text}{Enter}`);
  expect(await screen.findByText(message)).toBeTruthy();
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Pay' }).disabled).toBe(true);
  expect(made).toEqual([]);
});

it('explains that the minimum was raised after the page was opened', async () => {
  const fields = [{ path: 'amount', rule: 'below-minimum', message: 'The minimum amount is 20 USD' }];
  script('post', '/api/user/order', () => refuse('invalid-input', 400, { fields }));
  const { user } = show(page, ADDRESS);
  await user.click(await screen.findByRole('button', { name: 'Pay CN¥73.00' }));
  expect(await screen.findByText(/^The minimum is/)).toBeTruthy();
});

it('shows the contract’s cost to the minor unit', async () => {
  const { user } = show(page, ADDRESS);
  await user.click(await screen.findByRole('button', { name: /^\$100/ }));
  expect(screen.getByText('10% off')).toBeTruthy();
  const alipay = { discount: 900_000, fixedFee: 0, percentFee: 0, rate: 7_300_000, currency: 'CNY' } as const;
  const yuan = toMajorUnits(topUpCost(100, alipay).total, 'CNY');
  expect(screen.getByRole('button', { name: `Pay CN¥${yuan.toFixed(2)}` })).toBeTruthy();
  await user.click(screen.getByRole('radio', { name: /Card/ }));
  const card = { discount: 900_000, fixedFee: 300_000, percentFee: 29_000, rate: MICROS, currency: 'USD' } as const;
  const cost = topUpCost(100, card);
  expect(screen.getByRole('button', { name: `Pay $${toMajorUnits(cost.total, 'USD').toFixed(2)}` })).toBeTruthy();
  expect(screen.getByText('−$10.00')).toBeTruthy();
  expect(screen.getByText(`$${(cost.fee / MICROS).toFixed(2)}`)).toBeTruthy();
  expect(screen.getByText('Test')).toBeTruthy();
});

it('creates an order, follows it and shows the new balance without a reload', async () => {
  const made = script('post', '/api/user/order', () =>
    succeed({ type: 1, data: { url: 'https://pay.example/cashier' }, trade_no: 'T1001' }),
  );
  const paid = Promise.withResolvers<void>();
  const asked = script('get', '/api/user/order/T1001', async ({ url }) => {
    if (!url.searchParams.has('while_status')) return succeed(wirePendingOrder());
    await paid.promise;
    balance = 10_000_000;
    return succeed(wireOwnOrder());
  });
  const { user } = show(page, ADDRESS);
  await user.click(await screen.findByRole('button', { name: 'Pay CN¥73.00' }));
  const dialog = await screen.findByRole('dialog', { name: 'Payment' });
  const link = await within(dialog).findByRole<HTMLAnchorElement>('link', { name: 'Open the payment page' });
  expect(new URL(link.href).pathname + new URL(link.href).search).toBe('/pay.html?order=T1001');
  expect(window.open).toHaveBeenCalledWith('/pay.html?order=T1001', '_blank', 'noopener,noreferrer');
  expect(made[0]?.body).toEqual({ uuid: 'a', amount: 10, phone: false });
  paid.resolve();
  expect(await within(dialog).findByText('Your new balance is $20.00.')).toBeTruthy();
  expect(asked.at(-1)?.url.searchParams.get('while_status')).toBe('pending');
  await user.click(within(dialog).getByRole('button', { name: 'Done' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(screen.getAllByText('$20.00').length).toBeGreaterThanOrEqual(2);
});

it('creates one order per click, even after a lost response, and another one for the next click', async () => {
  let lost = true;
  const fetched = vi.spyOn(globalThis, 'fetch');
  script('post', '/api/user/order', () => {
    if (lost) return refuse('unavailable', 503);
    return succeed({ type: 3, data: { url: '', text: 'Bank' }, trade_no: 'T1001' });
  });
  script('get', '/api/user/order/T1001', () => succeed(wirePendingOrder()));
  const { user } = show(page, ADDRESS);
  const pay = await screen.findByRole('button', { name: 'Pay CN¥73.00' });
  await user.click(pay);
  expect(await screen.findByRole('alert')).toBeTruthy();
  lost = false;
  await user.click(pay);
  const dialog = await screen.findByRole('dialog');
  await user.click(await within(dialog).findByRole('button', { name: 'Close' }));
  await user.click(await screen.findByRole('button', { name: 'Pay CN¥73.00' }));
  await screen.findByRole('dialog');
  const keys = idempotencyKeys(fetched);
  expect(keys).toHaveLength(3);
  expect(keys[0]).toBe(keys[1]);
  expect(keys[2]).not.toBe(keys[1]);
});

it.each([
  ['upstream-failed', 502],
  ['conflict', 409],
] as const)('creates a new order on the click after the error %s, which ends an order', async (code, status) => {
  const fetched = vi.spyOn(globalThis, 'fetch');
  let refused = true;
  script('post', '/api/user/order', () =>
    refused ? refuse(code, status) : succeed({ type: 3, data: { url: '', text: 'Bank' }, trade_no: 'T1001' }),
  );
  script('get', '/api/user/order/T1001', () => succeed(wirePendingOrder()));
  const { user } = show(page, ADDRESS);
  const pay = await screen.findByRole('button', { name: 'Pay CN¥73.00' });
  await user.click(pay);
  expect(await screen.findByRole('alert')).toBeTruthy();
  refused = false;
  await user.click(pay);
  await screen.findByRole('dialog');
  const [first, second, ...more] = idempotencyKeys(fetched);
  expect(second).not.toBe(first);
  expect(more).toEqual([]);
});

it('opens the order of a buyer who returns from paying and checks it at once', async () => {
  script('get', '/api/user/order/T1001', ({ url }) =>
    url.searchParams.has('while_status') || checks.length > 0 ? succeed(wireOwnOrder()) : succeed(wirePendingOrder()),
  );
  const checks = script('post', '/api/user/order/T1001/check', () => {
    const { events: _events, payment: _payment, ...own } = wireOwnOrder();
    return succeed(own);
  });
  const { user, search } = show(page, `${ADDRESS}?order=T1001`);
  const dialog = await screen.findByRole('dialog', { name: 'Payment' });
  expect(await within(dialog).findByText('$10.00 was added')).toBeTruthy();
  await user.click(within(dialog).getByRole('button', { name: 'Done' }));
  await waitFor(() => expect(search()).toEqual({}));
  expect(checks).toHaveLength(1);
});

it('keeps showing an order whose payment provider does not respond to the check', async () => {
  script('get', '/api/user/order/T1001', () => succeed(wirePendingOrder()));
  const checks = script('post', '/api/user/order/T1001/check', () => refuse('upstream-failed', 502));
  show(page, `${ADDRESS}?order=T1001`);
  const dialog = await screen.findByRole('dialog', { name: 'Payment' });
  expect(await within(dialog).findByRole('button', { name: 'I have paid' })).toBeTruthy();
  await waitFor(() => expect(checks).toHaveLength(1));
});

it('shows a QR code and checks the order when the buyer says that it is paid', async () => {
  script('get', '/api/user/order/T1001', () =>
    succeed(wirePendingOrder({ payment: { type: 2, data: { url: 'https://qr.alipay.com/x' } } })),
  );
  const checks = script('post', '/api/user/order/T1001/check', () => {
    const { events: _events, payment: _payment, ...own } = wirePendingOrder();
    return succeed(own);
  });
  const { user } = show(page, `${ADDRESS}?pay=T1001`);
  const dialog = await screen.findByRole('dialog', { name: 'Payment' });
  expect(await within(dialog).findByRole('img', { name: 'Payment QR code' })).toBeTruthy();
  await user.click(within(dialog).getByRole('button', { name: 'I have paid' }));
  expect(await screen.findByText(/has not received the payment yet/)).toBeTruthy();
  expect(checks).toHaveLength(1);
});

it.each([
  ['closed', 'This order is closed'],
  ['failed', 'The payment was declined'],
  ['refunded', 'This order was refunded'],
  ['disputed', 'This payment is disputed'],
] as const)('shows the next step for an order that is %s', async (status, text) => {
  script('get', '/api/user/order/T1001', () => succeed(wireOwnOrder({ status })));
  show(page, `${ADDRESS}?pay=T1001`);
  const dialog = await screen.findByRole('dialog', { name: 'Payment' });
  expect(await within(dialog).findByText(text)).toBeTruthy();
});

it('lists the user’s orders and shows one with its timeline and receipt', async () => {
  const { payment: _payment, events: _events, ...listed } = wireOwnOrder();
  script('get', '/api/user/order', () => succeed(wirePage([listed])));
  script('get', '/api/user/order/T1001', () => succeed(wireOwnOrder()));
  const { user } = show(page, ADDRESS);
  await user.click(await screen.findByText('CN¥73.00', { selector: 'td *, td, li *' }));
  const drawer = await screen.findByRole('dialog', { name: 'Order' });
  expect(await within(drawer).findByText('Order created')).toBeTruthy();
  const receipt = within(drawer).getByRole<HTMLAnchorElement>('link', { name: 'Receipt' });
  expect(new URL(receipt.href).pathname).toBe('/api/user/order/T1001/receipt');
});

it('redeems a code and explains why another one is refused', async () => {
  const redeemed = script('post', '/api/user/topup', ({ body }) => {
    if (JSON.stringify(body) !== '{"key":"GOOD"}') return refuse('code-unknown', 404);
    balance = 7_500_000;
    return succeed(2_500_000);
  });
  const { user } = show(page, ADDRESS);
  const field = await screen.findByLabelText('Code');
  await user.click(screen.getByRole('button', { name: 'Redeem' }));
  expect(screen.getByText('Enter a code')).toBeTruthy();
  await user.type(field, 'BAD{Enter}');
  expect(await screen.findByText('This code does not exist. Check it and try again.')).toBeTruthy();
  await user.clear(field);
  await user.type(field, ' GOOD {Enter}');
  expect(await screen.findByText('$5.00 was added')).toBeTruthy();
  await waitFor(() => expect(screen.getAllByText('$15.00').length).toBeGreaterThanOrEqual(2));
  expect(redeemed).toHaveLength(2);
});

it('reports that no shop is configured when its button is clicked', async () => {
  const { user } = show(page, ADDRESS);
  await user.click(await screen.findByRole('button', { name: 'Buy in the shop' }));
  expect(await screen.findByText('The administrator has not set a top-up link')).toBeTruthy();
  expect(window.open).not.toHaveBeenCalled();
});

it('shows the user’s invitation link and its rewards', async () => {
  show(page, ADDRESS);
  expect(await screen.findByText('https://ai.example.com/register?aff=FRIEND')).toBeTruthy();
  expect(await screen.findByText('You get $1.00 for each new user.')).toBeTruthy();
  expect(screen.getByText('You get 5% of their first 3 top-ups.')).toBeTruthy();
  expect(screen.getByText('2 invited · $2.00 earned')).toBeTruthy();
});

it('updates the shown balance when the check of an order finds a payment', async () => {
  let paid = false;
  script('get', '/api/user/order/T1001', () => succeed(paid ? wireOwnOrder() : wirePendingOrder()));
  script('post', '/api/user/order/T1001/check', () => {
    paid = true;
    balance = 10_000_000;
    const { events: _events, payment: _payment, ...own } = wireOwnOrder();
    return succeed(own);
  });
  const { user } = show(page, `${ADDRESS}?open=T1001`);
  const drawer = await screen.findByRole('dialog', { name: 'Order' });
  await user.click(await within(drawer).findByRole('button', { name: 'Check now' }));
  expect(await within(drawer).findByRole('link', { name: 'Receipt' })).toBeTruthy();
  await waitFor(() => expect(screen.getAllByText('$20.00').length).toBeGreaterThanOrEqual(2));
});

it('cancels an order after a confirmation and then offers no payment', async () => {
  let closed = false;
  script('get', '/api/user/order/T1001', () =>
    succeed(closed ? wireOwnOrder({ status: 'closed', paid_at: null }) : wirePendingOrder()),
  );
  script('post', '/api/user/order/T1001/close', () => {
    closed = true;
    const { events: _events, payment: _payment, ...own } = wireOwnOrder({ status: 'closed', paid_at: null });
    return succeed(own);
  });
  const { user } = show(page, `${ADDRESS}?pay=T1001`);
  const dialog = await screen.findByRole('dialog', { name: 'Payment' });
  await user.click(await within(dialog).findByRole('button', { name: 'Cancel order' }));
  const question = await screen.findByRole('alertdialog', { name: 'Cancel this order?' });
  await user.click(within(question).getByRole('button', { name: 'Cancel order' }));
  expect(await within(dialog).findByText('This order is closed')).toBeTruthy();
  expect(within(dialog).queryByRole('link', { name: 'Open the payment page' })).toBeNull();
});

it('copies the text after a colon in payment instructions', async () => {
  const text = 'Please transfer:\nIBAN: DE00 1234\nhttps://bank.example';
  script('get', '/api/user/order/T1001', () =>
    succeed(wirePendingOrder({ payment: { type: 3, data: { url: '', text } } })),
  );
  const { user } = show(page, `${ADDRESS}?pay=T1001`);
  const dialog = await screen.findByRole('dialog', { name: 'Payment' });
  await user.click(await within(dialog).findByRole('button', { name: 'Copy IBAN' }));
  expect(await navigator.clipboard.readText()).toBe('DE00 1234');
  await user.click(within(dialog).getByRole('button', { name: 'Copy Reference' }));
  expect(await navigator.clipboard.readText()).toBe('T1001');
  expect(within(dialog).getAllByRole('button', { name: /^Copy/ })).toHaveLength(2);
});
