import type { ScriptedLedger } from './scripted-ledger.ts';
import type { StripeOrder } from './scripted-stripe-objects.ts';

/** Data of orders that only Stripe has. */
export interface StripeOrders {
  open(
    order: Parameters<ScriptedLedger['open']>[0] & Pick<StripeOrder, 'payType' | 'sessionId' | 'expiresAt'>,
  ): StripeOrder;
  find(tradeNo: string): StripeOrder;
  /** Finds an order by the id of its payment intent or its session. */
  findBy(no: string): StripeOrder | undefined;
}

export function createStripeOrders(ledger: ScriptedLedger): StripeOrders {
  const extras = new Map<string, Pick<StripeOrder, 'payType' | 'sessionId' | 'expiresAt'>>();
  const find = (tradeNo: string): StripeOrder => {
    const extra = extras.get(tradeNo);
    if (extra === undefined) throw new Error(`There is no order ${tradeNo}`);
    return { ...ledger.find(tradeNo), ...extra };
  };
  return {
    find,
    open({ payType, sessionId, expiresAt, ...order }) {
      ledger.open(order);
      extras.set(order.tradeNo, { payType, sessionId, expiresAt });
      return find(order.tradeNo);
    },
    findBy: (no) =>
      [...extras.keys()].map(find).find(({ paymentNo, sessionId }) => paymentNo === no || sessionId === no),
  };
}
