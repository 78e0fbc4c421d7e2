import { order as orderSchema } from '@switchyard/contract/billing/orders';
import { expect, it } from 'vitest';
import { wireOrder } from '../../../testing/order-samples.ts';
import { availableActions, refundableAmount, refundSchema } from './order-action-rules.ts';

const order = (more: Parameters<typeof wireOrder>[1]) => orderSchema.parse(wireOrder(1, more));
const accepts = (amount: number, of = order({})) =>
  refundSchema(of).safeParse({ amount, reason: 'asked for it', may_leave_debt: false, outside: false }).success;

it.each([
  ['pending', ['check', 'complete', 'close']],
  ['closed', ['check', 'complete']],
  ['failed', ['check', 'complete']],
  ['success', ['refund']],
  ['refunded', []],
  ['disputed', []],
] as const)('offers only suitable actions for an order that is %s', (status, actions) => {
  expect(availableActions(order({ status }))).toEqual(actions);
});

it('offers a review for a suspicious order and no second refund', () => {
  expect(availableActions(order({ review: 'amount-differs' }))).toEqual(['resolve', 'refund']);
  expect(availableActions(order({ refunded_amount: 73 }))).toEqual([]);
});

it('computes the refundable amount in whole minor units', () => {
  expect(refundableAmount(order({ order_amount: 0.3, refunded_amount: 0.1 }))).toBe(0.2);
  expect(refundableAmount(order({ order_currency: 'JPY', order_amount: 1500, refunded_amount: 500 }))).toBe(1000);
});

it('accepts refunds between one minor unit and the refundable amount', () => {
  expect([0, -1, 73.01, 0.001, 1.005].map((amount) => accepts(amount))).toEqual([false, false, false, false, false]);
  expect([0.01, 1.01, 73].map((amount) => accepts(amount))).toEqual([true, true, true]);
  const yen = order({ order_currency: 'JPY', order_amount: 1500 });
  expect([0.5, 1, 1500].map((amount) => accepts(amount, yen))).toEqual([false, true, true]);
});
