/** Orders of a simulated payment provider, and their events. */
import { randomUUID } from 'node:crypto';
import type { ScriptedDispute, ScriptedOrder, ScriptedRefund } from './scripted-provider.ts';

export interface ScriptedLedger {
  orders: ReadonlyMap<string, ScriptedOrder>;
  /** Creates an order, or returns an existing one with this number. */
  open(order: Pick<ScriptedOrder, 'tradeNo' | 'amount' | 'currency' | 'notifyUrl' | 'returnUrl'>): ScriptedOrder;
  find(tradeNo: string): ScriptedOrder;
  pay(tradeNo: string): void;
  fail(tradeNo: string): void;
  /** Refunds an amount once for each refund number. @returns undefined if it exceeds the rest of the payment */
  refund(tradeNo: string, amount: number, refundNo?: string): ScriptedRefund | undefined;
  delayRefunds(on: boolean): void;
  dispute(tradeNo: string, amount: number): ScriptedDispute;
}

/** @param paymentNo creates the number of a payment */
export function createScriptedLedger(paymentNo: () => string): ScriptedLedger {
  const orders = new Map<string, ScriptedOrder>();
  let delays = false;
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
      const empty = { status: 'open' as const, refunds: [], disputes: [] };
      const opened: ScriptedOrder = { ...order, ...empty, paymentNo: paymentNo() };
      orders.set(order.tradeNo, opened);
      return opened;
    },
    find,
    pay: (tradeNo) => end(tradeNo, 'paid'),
    fail: (tradeNo) => end(tradeNo, 'failed'),
    refund(tradeNo, amount, refundNo = `desk-${randomUUID().slice(0, 8)}`) {
      const order = find(tradeNo);
      const existing = order.refunds.find((refund) => refund.refundNo === refundNo);
      if (existing !== undefined) return existing;
      if (order.status !== 'paid' || amount > order.amount - sumRefunds(order)) return undefined;
      const providerNo = `r-${randomUUID().slice(0, 12)}`;
      const status = delays ? ('pending' as const) : ('succeeded' as const);
      const refund: ScriptedRefund = { refundNo, providerNo, amount, status };
      order.refunds.push(refund);
      return refund;
    },
    delayRefunds(on) {
      delays = on;
    },
    dispute(tradeNo, amount) {
      const dispute: ScriptedDispute = { disputeNo: `dp-${randomUUID().slice(0, 12)}`, amount, status: 'open' };
      find(tradeNo).disputes.push(dispute);
      return dispute;
    },
  };
}

/** Returns the sum of refunds that succeeded or are pending. */
export function sumRefunds({ refunds }: ScriptedOrder): number {
  return refunds.reduce((sum, { amount, status }) => (status === 'failed' ? sum : sum + amount), 0);
}
