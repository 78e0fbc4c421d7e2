/** The orders of a payment company that is played, and what happens to them. */
import { randomUUID } from 'node:crypto';
import type { ScriptedOrder, ScriptedRefund } from './scripted-processor.ts';

export interface Books {
  orders: ReadonlyMap<string, ScriptedOrder>;
  /** Opening it again finds the one that is there. */
  open(
    order: Pick<ScriptedOrder, 'tradeNo' | 'amount' | 'currency' | 'notifyUrl' | 'returnUrl'>,
  ): ScriptedOrder;
  find(tradeNo: string): ScriptedOrder;
  pay(tradeNo: string): void;
  fail(tradeNo: string): void;
  /** Once for each number. @returns undefined when there is not so much money left of the payment */
  refund(tradeNo: string, amount: number, refundNo?: string): ScriptedRefund | undefined;
}

/** @param paymentNo makes the number of a payment */
export function openBooks(paymentNo: () => string): Books {
  const orders = new Map<string, ScriptedOrder>();
  const find = (tradeNo: string): ScriptedOrder => {
    const order = orders.get(tradeNo);
    if (order === undefined) throw new Error(`There is no order ${tradeNo}`);
    return order;
  };
  const end = (tradeNo: string, status: 'paid' | 'failed'): void => {
    const order = find(tradeNo);
    if (order.status !== 'open') throw new Error(`Order ${tradeNo} is ${order.status}`);
    order.status = status;
  };
  return {
    orders,
    open(order) {
      const known = orders.get(order.tradeNo);
      if (known !== undefined) return known;
      const opened: ScriptedOrder = { ...order, paymentNo: paymentNo(), status: 'open', refunds: [] };
      orders.set(order.tradeNo, opened);
      return opened;
    },
    find,
    pay: (tradeNo) => end(tradeNo, 'paid'),
    fail: (tradeNo) => end(tradeNo, 'failed'),
    refund(tradeNo, amount, refundNo = `desk-${randomUUID().slice(0, 8)}`) {
      const order = find(tradeNo);
      const made = order.refunds.find((refund) => refund.refundNo === refundNo);
      if (made !== undefined) return made;
      const left = order.refunds.reduce((sum, refund) => sum - refund.amount, order.amount);
      if (order.status !== 'paid' || amount > left) return undefined;
      const refund = { refundNo, processorNo: `r-${randomUUID().slice(0, 12)}`, amount };
      order.refunds.push(refund);
      return refund;
    },
  };
}
