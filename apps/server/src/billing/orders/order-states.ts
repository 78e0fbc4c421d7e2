/**
 * Life cycle of an order. Every change of its status is one transaction with the points that it moves, the posting has a
 * unique reference, and notifications are sent only after the commit.
 *
 *   pending ─▶ success ─▶ refunded
 *      │  ╲       ▲  ╲       ▲
 *      ▼   ▼      │   ▼      │
 *   failed closed ┘   disputed   (a dispute that is won leads back to success)
 *
 * A confirmed payment is credited at any time, also when the order was closed or had failed before. Long after its end,
 * it is marked for review as well: not every payment provider can close an order, and its price may be outdated. A
 * payment that does not match its order, or comes for a paid order, moves nothing and is marked for review
 * (`payment-review.ts`). Its refunds move nothing either.
 */
import type { Kysely, Transaction } from 'kysely';
import { lockBuyerAndInviter, payInviterShare } from '../../accounts/invitations/invitations.ts';
import type { Context } from '../../context.ts';
import type { Postings } from '../../ledger/ledger.ts';
import { notifySite, notifyUser } from '../../operations/notifications/notifications.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError } from '../../platform/http/app-error.ts';
import type { Schema } from '../../schema.ts';
import type { ConfirmedPayment, PaymentState, WebhookEvent } from '../payment-integrations/payment-integrations.ts';
import { notifyPromotion, type Promotion, promoteUser } from '../user-group-upgrades/user-group-upgrades.ts';
import { applyDispute } from './disputes.ts';
import {
  findBuyerName,
  findOrder,
  formatOrderAmount,
  listUncreditedPayments,
  markForReview,
  type OrderRow,
  recordOrderEvent,
  updateOrder,
} from './order-rows.ts';
import {
  findPaymentMismatch,
  findPaymentUnderReview,
  isPaymentAlreadyUsed,
  markPaymentForReview,
} from './payment-review.ts';
import { settleRefunds } from './refund-bookkeeping.ts';
import { applyRefundEvent } from './refund-webhook-events.ts';

/** Seconds after an order's end from which a payment is marked for review, when the provider is polled no more. */
const LATE_SECONDS = 86_400;

/** Applies a verified webhook event to its order. */
export async function applyWebhookEvent(ctx: Context, order: OrderRow, event: WebhookEvent): Promise<void> {
  switch (event.what) {
    case 'paid':
      return applyPayment(ctx, order.id, event);
    case 'failed':
    case 'closed':
      return closeUnpaid(ctx, order.id, event.what, { detail: event.reason });
    case 'refunded':
    case 'refund-failed':
    case 'refund-unclear':
      return applyRefundEvent(ctx, order.id, event);
    case 'disputed':
    case 'dispute-won':
    case 'dispute-lost':
      return applyDispute(ctx, order.id, event);
  }
}

/** Applies the state that the payment provider returned for the order. */
export async function applyPaymentState(ctx: Context, order: OrderRow, state: PaymentState): Promise<void> {
  if (state.state === 'paid') await applyPayment(ctx, order.id, state);
  else if (state.state === 'refunded') await reviewRefundedPayment(ctx, order.id, state);
  else if (state.state === 'failed') await closeUnpaid(ctx, order.id, 'failed', { detail: state.reason });
  else if (state.state === 'closed') await closeUnpaid(ctx, order.id, 'closed');
}

/** Credits a confirmed payment once, or marks the order for review when the payment does not match it. */
export async function applyPayment(ctx: Context, orderId: number, facts: ConfirmedPayment): Promise<void> {
  let repeatedFor: number | undefined;
  const promotion = await ctx.ledger.transaction(async (trx, moves) => {
    const order = await findOrder(trx, orderId);
    // Already credited, or refunded before it was credited.
    if (order.processor_no === facts.providerNo) {
      repeatedFor = order.user_id;
      return undefined;
    }
    // Already marked for review, and the order was then credited otherwise.
    if (order.paid_time !== null && (await listUncreditedPayments(trx, order)).includes(facts.providerNo))
      return undefined;
    const problem = await findPaymentMismatch(ctx, trx, order, facts);
    if (problem !== '') return markPaymentForReview(ctx, trx, moves, order, problem, facts);
    return creditOrder(ctx, trx, moves, order, { providerNo: facts.providerNo });
  });
  // The buyer's promotion was not published if the transaction that credited the order failed after its commit.
  if (repeatedFor !== undefined) await ctx.changes.publish({ topic: 'users', ids: [repeatedFor] });
  await publishOrderUpdate(ctx, orderId, promotion);
}

/**
 * Marks an order for review whose payment was refunded, at least in part, before it was credited: the provider doesn't
 * report the refunded amount. A later event of the payment credits nothing. Does nothing for a paid order, whose refunds
 * are recorded separately.
 */
async function reviewRefundedPayment(ctx: Context, orderId: number, facts: ConfirmedPayment): Promise<void> {
  await ctx.ledger.transaction(async (trx, moves) => {
    const order = await findOrder(trx, orderId);
    if (order.paid_time !== null) return;
    const isReused = await isPaymentAlreadyUsed(trx, order, facts.providerNo);
    const review = isReused ? 'payment-reused' : 'refunded-before-credit';
    await markPaymentForReview(ctx, trx, moves, order, review, facts);
    if (!isReused) await updateOrder(trx, orderId, { processor_no: facts.providerNo });
  });
  await closeUnpaid(ctx, orderId, 'failed', { detail: 'Paid and refunded at the payment provider' });
}

/**
 * Marks an order as paid by the decision of staff, for payments that the provider cannot report, and for the payment
 * under review.
 * @throws AppError `conflict` when it is already paid
 */
export async function completeOrder(
  ctx: Context,
  orderId: number,
  { by, reason }: { by: number; reason: string },
): Promise<void> {
  const promotion = await ctx.ledger.transaction(async (trx, moves) => {
    const order = await findOrder(trx, orderId);
    if (order.paid_time !== null) throw new AppError('conflict', 'This order is already paid');
    const providerNo = await findPaymentUnderReview(trx, order);
    return creditOrder(ctx, trx, moves, order, { providerNo, by, detail: reason });
  });
  await publishOrderUpdate(ctx, orderId, promotion);
}

interface CloseCause {
  detail?: string;
  by?: number | null;
  /** True to ignore an order that is open at the payment provider. */
  onlyUnopened?: boolean;
}

/** Marks a pending order as failed or closed; ignores others. A later payment is still credited. */
export async function closeUnpaid(
  ctx: Context,
  orderId: number,
  status: 'failed' | 'closed',
  { detail = '', by = null, onlyUnopened = false }: CloseCause = {},
): Promise<void> {
  await ctx.ledger.transaction(async (trx) => {
    const order = await findOrder(trx, orderId);
    if (order.status !== 'pending' || (onlyUnopened && order.payment !== null)) return;
    await updateOrder(trx, orderId, { status, payment: null });
    await recordOrderEvent(ctx, trx, orderId, status, { detail, by });
    if (status === 'failed') await notifyOrderResult(ctx, trx, order, 'failed');
  });
  await ctx.changes.publish({ topic: 'orders', ids: [orderId] });
}

async function creditOrder(
  ctx: Context,
  trx: Transaction<Schema>,
  moves: Postings,
  order: OrderRow,
  { providerNo = null, by = null, detail = '' }: CreditCause,
): Promise<Promotion | undefined> {
  const isLate = order.status !== 'pending';
  await updateOrder(trx, order.id, {
    status: 'success',
    processor_no: providerNo ?? order.processor_no,
    paid_time: nowSeconds(ctx.clock),
    payment: null,
    next_ask_time: null,
    review: '',
  });
  await lockBuyerAndInviter(trx, moves, order);
  await moves.post({
    kind: 'top-up',
    ref: `order:${order.trade_no}`,
    userId: order.user_id,
    amount: order.quota,
    note: `Top-up of ${order.amount_usd} USD, order ${order.trade_no}`,
    address: order.address,
  });
  const event = by === null ? (isLate ? 'paid-late' : 'paid') : 'completed';
  await recordOrderEvent(ctx, trx, order.id, event, { by, detail: detail || (providerNo ?? '') });
  if (event === 'paid-late' && nowSeconds(ctx.clock) > order.expires_time + LATE_SECONDS)
    await markForReview(ctx, trx, order, event, `${formatOrderAmount(order, order.order_amount)} as ${providerNo}`);
  await notifyOrderResult(ctx, trx, order, 'paid');
  await payInviterShare(ctx, trx, moves, order);
  await settleRefunds(ctx, trx, moves, order.id, {
    ref: `refunds-before-payment:${order.trade_no}`,
    note: `Refunds of order ${order.trade_no} that were reported before its payment`,
    mayOverdraw: true,
  });
  return promoteUser(ctx, trx, order.user_id);
}

interface CreditCause {
  providerNo?: string | null;
  by?: number | null;
  detail?: string;
}

async function publishOrderUpdate(ctx: Context, orderId: number, promotion: Promotion | undefined): Promise<void> {
  await ctx.changes.publish({ topic: 'orders', ids: [orderId] });
  if (promotion !== undefined) await notifyPromotion(ctx, promotion);
}

/** Notifies the buyer and the site of an order's result, if the transaction commits. */
async function notifyOrderResult(
  ctx: Context,
  trx: Kysely<Schema>,
  order: OrderRow,
  what: 'paid' | 'failed',
): Promise<void> {
  const facts = { order: order.trade_no, amount: formatOrderAmount(order, order.order_amount) };
  await notifyUser(ctx, order.user_id, `order-${what}`, facts, trx);
  await notifySite(ctx, `site-order-${what}`, { ...facts, username: await findBuyerName(trx, order) }, trx);
}
