/** Quota purchases: each order from its creation to its payment, refund or dispute. */
import { z } from 'zod';
import { seconds } from '../accounts/account-fields.ts';
import { orderId, paymentProviderId, userId } from '../ids.ts';
import { points } from '../money.ts';
import { listQuery, paged, routes } from '../route.ts';
import { orderStatus, paymentKind } from '../wire-enums.ts';
import { paymentProviderType } from './payment-providers.ts';
import { AMOUNT_MAX_USD, currency, micros } from './top-up-cost-and-currencies.ts';

/** Reason for a manual review of an order; empty: none. */
export const orderReview = z.enum([
  '',
  'amount-differs',
  'currency-differs',
  'paid-twice',
  'paid-after-refund',
  /** Paid, and refunded at least in part, before the payment was credited. */
  'refunded-before-credit',
  'payment-reused',
  'account-deleted',
  /** Credited at the price of its creation, long after its end. */
  'paid-late',
  'test-payment',
  'over-refunded',
  'refund-unclear',
]);
export type OrderReview = z.output<typeof orderReview>;

/** Event of an order; responses have the newest 200, in chronological order. */
export const orderEvent = z.object({
  created_at: seconds,
  event: z.enum([
    'created',
    'opened',
    'open-failed',
    'asked',
    'paid',
    'paid-late',
    'completed',
    'failed',
    'closed',
    'parked',
    'resolved',
    'refund-begun',
    'refunded',
    'refund-failed',
    /** A refund or dispute of a payment that was not credited. */
    'not-deducted',
    'disputed',
    'dispute-won',
    'dispute-lost',
  ]),
  /** Staff member who acted; null for the gateway and for buyers. */
  username: z.string().nullable(),
  /** Payment provider's message, a reason or an amount. */
  detail: z.string(),
});
export type OrderEvent = z.output<typeof orderEvent>;

const orderFields = {
  id: orderId,
  trade_no: z.string(),
  status: orderStatus,
  gateway_id: paymentProviderId,
  gateway_name: z.string(),
  gateway_type: paymentProviderType,
  /** Payment's id at the provider; empty before there is one. */
  gateway_no: z.string(),
  /** Quota bought, in USD. */
  amount: z.int(),
  quota: points,
  /** Fee of the payment method in USD. */
  fee: z.number(),
  /** Reduction of the undiscounted price in USD. */
  discount: z.number(),
  /** Amount to pay, in `order_currency`. */
  order_amount: z.number(),
  order_currency: currency,
  refunded_amount: z.number(),
  refunded_quota: points,
  created_at: seconds,
  /** End of the time in which the order can be paid. */
  expires_at: seconds,
  paid_at: seconds.nullable(),
};

export const ownOrder = z.object(orderFields);
export type OwnOrder = z.output<typeof ownOrder>;

export const order = z.object({ ...orderFields, user_id: userId, username: z.string(), review: orderReview });
export type Order = z.output<typeof order>;

/** Payment instructions. The public API combines `url`, `method` and `params`. */
export const payment = z.object({
  type: paymentKind,
  data: z.object({
    url: z.string(),
    method: z.enum(['GET', 'POST']).optional(),
    /** Fields of the form to send. */
    params: z.record(z.string(), z.string()).optional(),
    /** Instructions for people. */
    text: z.string().optional(),
  }),
});
export type Payment = z.output<typeof payment>;

export const paymentOption = z.object({
  uuid: z.string(),
  name: z.string(),
  type: paymentProviderType,
  icon: z.string(),
  fixed_fee: micros,
  percent_fee: micros,
  currency,
  /** Units of the currency for one USD. */
  exchange_rate: micros,
  sort: z.int(),
  sandbox: z.boolean(),
});
export type PaymentOption = z.output<typeof paymentOption>;

const byTradeNo = z.object({ trade_no: z.string().min(1).max(64) });
const byId = z.object({ id: orderId });
/** Reason of a staff action, for the order's timeline. */
export const orderReason = z.string().trim().min(3).max(500);

/** Whole USD. A form may send it as text, but a fraction is refused rather than rounded. */
const amount = z.int().min(1).max(AMOUNT_MAX_USD);

const orderFilters = {
  user_id: userId.optional(),
  username: z.string().max(64).optional(),
  gateway_id: paymentProviderId.optional(),
  trade_no: z.string().max(64).optional(),
  gateway_no: z.string().max(128).optional(),
  status: orderStatus.optional(),
  /** Only orders that need a manual review. */
  review: z.stringbool().optional(),
  start_timestamp: z.coerce.number().int().min(0).optional(),
  /** UTC seconds, inclusive. */
  end_timestamp: z.coerce.number().int().min(0).optional(),
};

export const orders = routes({
  offers: {
    method: 'GET',
    path: '/api/user/payment',
    access: 'user',
    summary: 'List the payment methods in their display order',
    answer: z.array(paymentOption),
  },
  create: {
    method: 'POST',
    path: '/api/user/order',
    access: 'user',
    summary: 'Create an order; returns how to pay it',
    body: z.object({
      uuid: z.string().max(64),
      amount,
      /** True if the buyer pays on the requesting device, a phone. */
      phone: z.boolean().default(false),
    }),
    answer: payment.extend({ trade_no: z.string() }),
  },
  listOwn: {
    method: 'GET',
    path: '/api/user/order',
    access: 'user',
    summary: 'List your orders, newest first',
    query: listQuery(['id', 'created_at', 'amount', 'status'], { status: orderStatus.optional() }),
    answer: paged(ownOrder),
  },
  /** Used by older consoles, which poll every three seconds: `success` says whether the order is paid. */
  isPaid: {
    method: 'GET',
    path: '/api/user/order/status',
    access: 'user',
    summary: 'Check whether one of your orders is paid; the result is `success` of the bare envelope',
    query: byTradeNo,
    answer: z.string(),
    file: 'application/json',
  },
  getOwn: {
    method: 'GET',
    path: '/api/user/order/:trade_no',
    access: 'user',
    summary: 'Retrieve one of your orders with its events and payment instructions; can wait for a change',
    params: byTradeNo,
    query: z.object({
      /** Delays the response until the status differs, for at most 25 seconds. */
      while_status: orderStatus.optional(),
    }),
    answer: ownOrder.extend({
      events: z.array(orderEvent),
      /** Null when the order can no longer be paid. */
      payment: payment.nullable(),
    }),
  },
  checkOwn: {
    method: 'POST',
    path: '/api/user/order/:trade_no/check',
    access: 'user',
    summary: 'Query the payment provider for the state of one of your orders',
    params: byTradeNo,
    answer: ownOrder,
  },
  closeOwn: {
    method: 'POST',
    path: '/api/user/order/:trade_no/close',
    access: 'user',
    summary: 'Close one of your unpaid orders',
    params: byTradeNo,
    answer: ownOrder,
  },
  receipt: {
    method: 'GET',
    path: '/api/user/order/:trade_no/receipt',
    access: 'user',
    summary: 'Retrieve the receipt of one of your paid orders',
    params: byTradeNo,
    answer: z.instanceof(Uint8Array),
    file: 'application/pdf',
  },
  list: {
    method: 'GET',
    path: '/api/payment/order',
    access: 'orders.read',
    summary: 'List the orders',
    query: listQuery(['id', 'gateway_id', 'user_id', 'status', 'created_at', 'amount'], orderFilters),
    answer: paged(order),
  },
  totals: {
    method: 'GET',
    path: '/api/payment/order/totals',
    access: 'orders.read',
    summary: 'Retrieve the totals of the matching orders, by currency',
    query: z.object(orderFilters),
    answer: z.array(
      z.object({
        currency,
        orders: z.int(),
        /** Paid orders, including refunded ones. */
        paid: z.int(),
        paid_amount: z.number(),
        refunded_amount: z.number(),
        quota: points,
      }),
    ),
  },
  export: {
    method: 'GET',
    path: '/api/payment/order/export',
    access: 'orders.read',
    summary: 'Export the matching orders as CSV, at most 100,000',
    query: z.object(orderFilters),
    answer: z.string(),
    file: 'text/csv',
    auditAs: { action: 'order.export', target: 'order' },
  },
  get: {
    method: 'GET',
    path: '/api/payment/order/:id',
    access: 'orders.read',
    summary: 'Retrieve an order with its events',
    params: byId,
    answer: order.extend({ events: z.array(orderEvent) }),
  },
  check: {
    method: 'POST',
    path: '/api/payment/order/:id/check',
    access: 'orders.write',
    summary: 'Query the payment provider for the state of an order',
    params: byId,
    answer: order,
  },
  complete: {
    method: 'POST',
    path: '/api/payment/order/:id/complete',
    access: 'orders.write',
    stepUp: true,
    summary: 'Credit an order whose payment the payment provider does not report',
    params: byId,
    body: z.object({ reason: orderReason }),
    answer: order,
  },
  refund: {
    method: 'POST',
    path: '/api/payment/order/:id/refund',
    access: 'orders.write',
    stepUp: true,
    summary: 'Refund an order fully or partially; deducts the quota and returns the money',
    params: byId,
    body: z.object({
      /** Amount in the order's currency; absent: the whole refundable amount. */
      amount: z.number().positive().optional(),
      reason: orderReason,
      /** Allows a refund whose points are already spent; the user then owes them. */
      may_leave_debt: z.boolean().default(false),
      /** The operator returns the money outside the gateway; only the points are deducted. */
      outside: z.boolean().default(false),
    }),
    answer: order,
  },
  resolve: {
    method: 'POST',
    path: '/api/payment/order/:id/resolve',
    access: 'orders.write',
    summary: 'Mark the review of an order as resolved',
    params: byId,
    body: z.object({ reason: orderReason }),
    answer: order,
  },
  close: {
    method: 'POST',
    path: '/api/payment/order/:id/close',
    access: 'orders.write',
    summary: 'Close an unpaid order; a later payment is still credited',
    params: byId,
    body: z.object({ reason: orderReason }),
    answer: order,
  },
});
