import { order as orderSchema } from '@switchyard/contract/billing/orders';
import { expect, it } from 'vitest';
import { wireOrder } from '../../../testing/order-samples.ts';
import { availableActions, refundableAmount, refundSchema } from './order-rules.ts';

const order = (more: Parameters<typeof wireOrder>[1]) => orderSchema.parse(wireOrder(1, more));
const accepts = (amount: number, of = order({})) =>
  refundSchema(of).safeParse({ amount, reason: 'asked for it', may_leave_debt: false, outside: false })
    .success;

it.each([
  ['pending', ['check', 'complete', 'close']],
  ['closed', ['check', 'complete']],
  ['failed', ['check', 'complete']],
  ['success', ['refund']],
  ['refunded', []],
  ['disputed', []],
] as const)('offers for an order that is %s only what fits', (status, actions) => {
  expect(availableActions(order({ status }))).toEqual(actions);
});

it('offers to look at what is odd, and no refund of what went back already', () => {
  expect(availableActions(order({ review: 'amount-differs' }))).toEqual(['resolve', 'refund']);
  expect(availableActions(order({ refunded_amount: 73 }))).toEqual([]);
});

it('counts what is left in whole coins', () => {
  expect(refundableAmount(order({ order_amount: 0.3, refunded_amount: 0.1 }))).toBe(0.2);
  expect(refundableAmount(order({ order_currency: 'JPY', order_amount: 1500, refunded_amount: 500 }))).toBe(
    1000,
  );
});

it('takes from one coin to what is left', () => {
  expect([0, -1, 73.01, 0.001, 1.005].map((amount) => accepts(amount))).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
  expect([0.01, 1.01, 73].map((amount) => accepts(amount))).toEqual([true, true, true]);
  const yen = order({ order_currency: 'JPY', order_amount: 1500 });
  expect([0.5, 1, 1500].map((amount) => accepts(amount, yen))).toEqual([false, true, true]);
});
