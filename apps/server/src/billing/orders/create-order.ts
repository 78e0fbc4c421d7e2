/** Creates orders: an order is stored before the buyer pays, and opened at the payment provider afterwards. */
import { randomInt } from 'node:crypto';
import type { Payment } from '@switchyard/contract/billing/orders';
import { type TopUpCost, topUpCost } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { runIdempotently } from '../../idempotency/idempotency.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError, fieldError } from '../../platform/http/app-error.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { requirePublicAddress } from '../../platform/outbound/site-public-address.ts';
import {
  type NewProviderOrder,
  type OpenResult,
  type PaymentMethod,
  type PaymentProviderClient,
  PaymentProviderError,
} from '../payment-integrations/payment-integrations.ts';
import {
  computeTerms,
  connectProvider,
  findPaymentOption,
  isProviderUnchanged,
  type ProviderRow,
} from '../payment-providers/payment-providers.ts';
import { findOrder, findOwnOrder, type OrderRow, recordOrderEvent, updateOrder } from './order-rows.ts';
import { closeUnpaid } from './order-states.ts';

const OPEN_ORDERS_MAX = 20;
const MINUTE = 60;
const DAY = 86_400;
/** Lifetime of an unpaid order in seconds: Stripe requires at least half an hour; a bank transfer takes days. */
const LIFETIME = 60 * MINUTE;
const MANUAL_LIFETIME = 14 * DAY;
const FIRST_POLL_SECONDS = 30;

interface BuyCall {
  caller: Caller;
  requestId: string;
  address: string;
  idempotencyKey: string | undefined;
}
interface WantedTopUp {
  uuid: string;
  /** Whole USD. */
  amount: number;
  phone: boolean;
}

/**
 * Creates an order. A repetition with the same `Idempotency-Key` returns the same order.
 * @throws AppError `invalid-input` below the minimum, `not-found` for an unknown or disabled payment provider,
 * `too-many-requests` with too many open orders, `conflict` for a repetition after the order's end or when the payment
 * provider was changed at the same time, `upstream-failed` when the payment provider did not open it
 */
export async function createOrder(
  ctx: Context,
  call: BuyCall,
  wanted: WantedTopUp,
): Promise<Payment & { trade_no: string }> {
  const { paymentMinAmount } = ctx.settings;
  if (wanted.amount < paymentMinAmount)
    throw fieldError('amount', 'below-minimum', `The minimum amount is ${paymentMinAmount} USD`);
  const row = await findPaymentOption(ctx, call.caller, wanted.uuid);
  const cost = computeCost(ctx, row, wanted.amount);
  // Connects before the order is stored, so that no order is created that cannot be paid.
  const provider = connectProvider(ctx, row);
  const operation = { what: 'order', input: wanted, answer: z.string() };
  const { answer: tradeNo } = await runIdempotently(ctx, call, operation, async (trx) => {
    // Another account would not know the order, so that its payment would be refused.
    if (!(await isProviderUnchanged(trx, row)))
      throw new AppError('conflict', 'This payment method has just changed. Try again.');
    const { open_orders } = await trx
      .selectFrom('payment_order')
      .select((eb) => eb.fn.countAll<number>().as('open_orders'))
      .where('user_id', '=', call.caller.userId)
      .where('status', '=', 'pending')
      .executeTakeFirstOrThrow();
    if (open_orders >= OPEN_ORDERS_MAX)
      throw new AppError(
        'too-many-requests',
        `You have reached the limit of ${OPEN_ORDERS_MAX} open orders. Pay or close one first.`,
      );
    const order = newOrder(ctx, row, { wanted, cost, call });
    const { id } = await trx.insertInto('payment_order').values(order).returning('id').executeTakeFirstOrThrow();
    await recordOrderEvent(ctx, trx, id, 'created');
    return order.trade_no;
  });
  const order = await findOwnOrder(ctx.db.writer, call.caller.userId, tradeNo);
  if (order.status !== 'pending') throw orderEndedError(order);
  const howToPay = parsePaymentMethod(order) ?? (await openAtProvider(ctx, provider, row, order, wanted.phone));
  return { trade_no: tradeNo, ...presentPayment(howToPay) };
}

function computeCost(ctx: Context, row: ProviderRow, amount: number): TopUpCost {
  try {
    return topUpCost(amount, computeTerms(ctx, row, amount));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw fieldError('amount', 'too_big', `${amount} USD exceeds what ${row.name} accepts. Choose a smaller amount.`);
  }
}

function newOrder(
  ctx: Context,
  row: ProviderRow,
  { wanted, cost, call }: { wanted: WantedTopUp; cost: TopUpCost; call: BuyCall },
) {
  const now = nowSeconds(ctx.clock);
  return {
    trade_no: newTradeNo(ctx.clock.now()),
    user_id: call.caller.userId,
    processor_id: row.id,
    processor_ref: '',
    processor_no: null,
    status: 'pending' as const,
    review: '' as const,
    amount_usd: wanted.amount,
    quota: wanted.amount * ctx.settings.quotaPerUnit,
    fee_micros: cost.fee,
    saved_micros: cost.saved,
    currency: row.currency,
    order_amount: cost.total,
    payment: null,
    address: call.address,
    created_time: now,
    expires_time: now + (row.type === 'manual' ? MANUAL_LIFETIME : LIFETIME),
    paid_time: null,
    next_ask_time: now + FIRST_POLL_SECONDS,
  };
}

/** Returns 14 digits of the time and 10 random ones: characters that every payment provider accepts. */
function newTradeNo(nowMs: number): string {
  const time = new Date(nowMs).toISOString().replace(/\D/g, '').slice(0, 14);
  return time + String(randomInt(1e10)).padStart(10, '0');
}

const ANOTHER_ORDER = 'To pay, create another order with a new Idempotency-Key.';

const orderEnds: Readonly<Record<OrderRow['status'], string>> = {
  pending: 'has an open payment. Check it in your orders before you create another one.',
  success: 'is already paid, and its points are credited. There is nothing left to pay.',
  failed: `has failed, and nothing was credited. ${ANOTHER_ORDER}`,
  closed: `was closed without a payment, and nothing was credited. ${ANOTHER_ORDER}`,
  refunded: `was paid and refunded. ${ANOTHER_ORDER}`,
  disputed: 'was paid, and the payment is disputed. Contact the operator before you create another one.',
};

function orderEndedError({ trade_no, status }: OrderRow): AppError {
  return new AppError('conflict', `Order ${trade_no} ${orderEnds[status]}`);
}

/**
 * Opens an order at its payment provider.
 * @throws AppError `upstream-failed` after recording it, `conflict` when the order has ended meanwhile; a later payment
 * is still credited
 */
async function openAtProvider(
  ctx: Context,
  provider: PaymentProviderClient,
  row: ProviderRow,
  order: OrderRow,
  phone: boolean,
): Promise<PaymentMethod> {
  let opened: OrderRow;
  try {
    opened = await storeOpening(ctx, order.id, await provider.openOrder(toProviderOrder(ctx, order, phone)));
  } catch (error) {
    ctx.log.error(
      { err: error, order: order.trade_no, processor: row.id },
      'an order could not be opened at the payment provider',
    );
    const reason = error instanceof PaymentProviderError ? error.message : 'The payment provider could not be reached';
    // A repetition of the request may have opened it meanwhile.
    await closeUnpaid(ctx, order.id, 'failed', { detail: reason, onlyUnopened: true });
    throw new AppError(
      'upstream-failed',
      'The payment provider did not accept the order. Nothing was charged. Try again, or choose another payment method.',
      { cause: error },
    );
  }
  const howToPay = parsePaymentMethod(opened);
  if (howToPay === undefined) throw orderEndedError(opened);
  return howToPay;
}

/** Stores how to pay an order, unless it has ended meanwhile, and the reference by which its payment is found. */
function storeOpening(ctx: Context, orderId: number, { paymentMethod, ref }: OpenResult): Promise<OrderRow> {
  return ctx.db.writer.transaction().execute(async (trx) => {
    await recordOrderEvent(ctx, trx, orderId, 'opened');
    const { status } = await findOrder(trx, orderId);
    const payment = status === 'pending' ? JSON.stringify(paymentMethod) : null;
    return updateOrder(trx, orderId, { payment, processor_ref: ref });
  });
}

function toProviderOrder(ctx: Context, order: OrderRow, phone: boolean): NewProviderOrder {
  const site = requirePublicAddress(ctx);
  return {
    tradeNo: order.trade_no,
    description: `${ctx.settings.systemName}: ${order.amount_usd} USD`,
    amount: order.order_amount,
    currency: order.currency,
    expiresAt: order.expires_time,
    returnUrl: `${site}/panel/topup?order=${order.trade_no}`,
    address: order.address,
    phone,
  };
}

/** Returns undefined when nothing is to be paid any more, or the payment method is not known yet. */
export function parsePaymentMethod({ payment }: Pick<OrderRow, 'payment'>): PaymentMethod | undefined {
  return payment === null ? undefined : (JSON.parse(payment) as PaymentMethod);
}

export function presentPayment(howToPay: PaymentMethod): Payment {
  switch (howToPay.kind) {
    case 'page': {
      const { url, method, params } = howToPay;
      return { type: 'page', data: { url, method, params: { ...params } } };
    }
    case 'qr':
      return { type: 'qr', data: { url: howToPay.url } };
    case 'instructions':
      return { type: 'instructions', data: { url: '', text: howToPay.text } };
  }
}
