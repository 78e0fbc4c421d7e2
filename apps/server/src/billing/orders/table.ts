import type { OrderEvent, OrderReview } from '@switchyard/contract/billing/orders';
import type { Currency } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import type { OrderStatus } from '@switchyard/contract/wire-enums';
import type { Generated } from 'kysely';

/** Amounts are in the currency's minor unit. */
export interface PaymentOrderTable {
  id: Generated<number>;
  trade_no: string;
  user_id: number;
  processor_id: number;
  /** Reference by which the payment provider finds the order besides `trade_no`; empty if it needs none. */
  processor_ref: string;
  /** Number of the credited payment; null before there is one, and if staff confirmed a payment of unknown number. */
  processor_no: string | null;
  status: OrderStatus;
  review: OrderReview;
  amount_usd: number;
  quota: number;
  fee_micros: number;
  saved_micros: number;
  currency: Currency;
  order_amount: number;
  refunded_amount: Generated<number>;
  refunded_quota: Generated<number>;
  /** JSON of `PaymentMethod`; null until the provider returns it, and once nothing is to be paid. */
  payment: string | null;
  address: string;
  created_time: number;
  expires_time: number;
  paid_time: number | null;
  asks: Generated<number>;
  /** Time of the next poll of the provider; null for none. */
  next_ask_time: number | null;
}

export interface OrderEventTable {
  id: Generated<number>;
  order_id: number;
  created_time: number;
  event: OrderEvent['event'];
  /** Member of staff who caused it. */
  user_id: number | null;
  detail: string;
  /** Number of the payment that the order was marked for review for; empty for other events. */
  payment_no: Generated<string>;
}

export interface OrderRefundTable {
  /** Also the provider's idempotency key. */
  id: string;
  order_id: number;
  amount: number;
  /** Points that were deducted for it. */
  quota: number;
  state: 'pending' | 'done' | 'failed';
  reason: string;
  /** 1 if a buyer's bank withdrew the money. */
  is_dispute: Generated<number>;
  processor_no: string;
  /** Number of its payment at the provider; empty if unknown. */
  payment_no: Generated<string>;
  /** 1 if its payment is known not to be the credited one; it deducts nothing. */
  is_uncredited: Generated<number>;
  created_by: number | null;
  created_time: number;
  tries: Generated<number>;
  next_ask_time: number | null;
}
