import type { ScriptedLedger } from './scripted-ledger.ts';
import type { StripeOrder } from './scripted-stripe-objects.ts';

/** What Stripe knows of orders beyond what every payment company knows. */
export interface StripeOrders {
  open(
    order: Parameters<ScriptedLedger['open']>[0] & Pick<StripeOrder, 'payType' | 'sessionId' | 'expiresAt'>,
  ): StripeOrder;
  find(tradeNo: string): StripeOrder;
  /** By the number of the payment intent or of the session. */
  findBy(no: string): StripeOrder | undefined;
}

export function createStripeOrders(books: ScriptedLedger): StripeOrders {
  const extras = new Map<string, Pick<StripeOrder, 'payType' | 'sessionId' | 'expiresAt'>>();
  const find = (tradeNo: string): StripeOrder => {
    const extra = extras.get(tradeNo);
    if (extra === undefined) throw new Error(`There is no order ${tradeNo}`);
    return { ...books.find(tradeNo), ...extra };
  };
  return {
    find,
    open({ payType, sessionId, expiresAt, ...order }) {
      books.open(order);
      extras.set(order.tradeNo, { payType, sessionId, expiresAt });
      return find(order.tradeNo);
    },
    findBy: (no) =>
      [...extras.keys()].map(find).find(({ paymentNo, sessionId }) => paymentNo === no || sessionId === no),
  };
}
