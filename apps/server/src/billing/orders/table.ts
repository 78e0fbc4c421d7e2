import type { OrderEvent, OrderReview } from '@switchyard/contract/billing/orders';
import type { Currency } from '@switchyard/contract/billing/top-up-cost';
import type { OrderStatus } from '@switchyard/contract/codes';
import type { Generated } from 'kysely';

/** Amounts are in the smallest coin of the currency. */
export interface PaymentOrderTable {
  id: Generated<number>;
  trade_no: string;
  user_id: number;
  processor_id: number;
  /** Reference by which the payment provider finds the order besides `trade_no`; empty where that is enough. */
  processor_ref: string;
  /** The payment's own number, once there is a payment. */
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
  /** JSON of how to pay; null until the processor has said so, and once there is nothing to pay. */
  payment: string | null;
  address: string;
  created_time: number;
  expires_time: number;
  paid_time: number | null;
  asks: Generated<number>;
  /** When the processor is asked next; null: not any more. */
  next_ask_time: number | null;
}

export interface OrderEventTable {
  id: Generated<number>;
  order_id: number;
  created_time: number;
  event: OrderEvent['event'];
  /** The member of staff who did it. */
  user_id: number | null;
  detail: string;
}

export interface OrderRefundTable {
  /** Also the key by which the processor sends the money once. */
  id: string;
  order_id: number;
  amount: number;
  /** Points that were taken for it. */
  quota: number;
  state: 'pending' | 'done' | 'failed';
  reason: string;
  /** 1: a buyer's bank took it back. */
  is_dispute: Generated<number>;
  processor_no: string;
  created_by: number | null;
  created_time: number;
  tries: Generated<number>;
  next_ask_time: number | null;
}
