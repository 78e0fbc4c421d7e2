/**
 * Refunds. Refunds and disputes are rows, and the deducted points follow from these rows alone: they are the share of
 * the price that all rows except failed ones make up, and never more than the order. No event of a payment provider
 * is dropped because others came first, so that the result is the same in any order. Points are deducted before the
 * gateway sends a refund; the row's number is the idempotency key of that refund. Refunds of a payment that was not
 * credited deduct nothing.
 */
import type { Kysely, Transaction } from 'kysely';
import { lockBuyerAndInviter, reverseInviterShare } from '../../accounts/invitations/invitations.ts';
import type { Context } from '../../context.ts';
import type { Postings } from '../../ledger/ledger.ts';
import { notifySite, notifyUser } from '../../operations/notifications/notifications.ts';
import { nowSeconds } from '../../platform/clock.ts';
import type { Schema } from '../../schema.ts';
import {
  findBuyerName,
  findOrder,
  formatOrderAmount,
  listUncreditedPayments,
  markForReview,
  type OrderRow,
  type RefundRow,
  recordOrderEvent,
  updateOrder,
} from './order-rows.ts';

interface NewRefund {
  id: string;
  /** Amount in the currency's minor unit. */
  amount: number;
  state: RefundRow['state'];
  reason: string;
  by: number | null;
  /** True if a bank withdrew the money, and has not decided yet. */
  isDispute?: boolean;
  mayOverdraw: boolean;
  /** Time of the next poll of the payment provider; null for none. */
  nextPollTime: number | null;
  providerNo?: string;
  /** Number of the payment; absent if unknown. */
  paymentNo?: string | undefined;
}

/**
 * Returns the points for a part of an order's price, rounded down in the user's favour. The whole price yields
 * exactly the credited points; a larger amount yields no more.
 */
export function computeRefundPoints(
  { quota, order_amount }: Pick<OrderRow, 'quota' | 'order_amount'>,
  amount: number,
): number {
  return Number((BigInt(quota) * BigInt(Math.min(amount, order_amount))) / BigInt(order_amount));
}

/**
 * Returns a reported amount in the order's currency. A bank may report a dispute in another one: then it is the whole
 * price, because what was withdrawn is not known.
 */
export function toOrderCurrency(
  { currency, order_amount }: Pick<OrderRow, 'currency' | 'order_amount'>,
  reported: { amount: number; currency?: string | undefined },
): number {
  const isSame = reported.currency === undefined || reported.currency === currency;
  return isSame ? reported.amount : order_amount;
}

/**
 * Records a refund or dispute and deducts its points. Before the order is paid, no points are deducted:
 * `settleRefunds` deducts them with the payment.
 * @throws AppError `insufficient-balance` when the points are spent and may not become a debt
 */
export async function deductRefund(
  ctx: Context,
  trx: Transaction<Schema>,
  moves: Postings,
  order: OrderRow,
  refund: NewRefund,
): Promise<void> {
  const { id, amount, mayOverdraw } = refund;
  await trx
    .insertInto('order_refund')
    .values({
      id,
      order_id: order.id,
      amount,
      quota: computeRefundPoints(order, amount),
      state: refund.state,
      reason: refund.reason,
      is_dispute: Number(refund.isDispute ?? false),
      processor_no: refund.providerNo ?? '',
      payment_no: refund.paymentNo ?? '',
      created_by: refund.by,
      created_time: nowSeconds(ctx.clock),
      next_ask_time: refund.nextPollTime,
    })
    .execute();
  if (refund.state === 'failed') return;
  await settleRefunds(ctx, trx, moves, order.id, {
    ref: `refund:${id}`,
    note: `Refund of ${formatOrderAmount(order, amount)}, order ${order.trade_no}`,
    mayOverdraw,
  });
  const { is_uncredited, payment_no } = await trx
    .selectFrom('order_refund')
    .select(['is_uncredited', 'payment_no'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  if (is_uncredited === 1) await recordOrderEvent(ctx, trx, order.id, 'not-deducted', { detail: payment_no });
}

/** Completes a refund, or a lost dispute. */
export async function finishRefund(
  ctx: Context,
  trx: Transaction<Schema>,
  refund: RefundRow,
  providerNo: string,
): Promise<void> {
  if (refund.state === 'failed') return;
  await trx
    .updateTable('order_refund')
    .set({ state: 'done', processor_no: providerNo, next_ask_time: null })
    .where('id', '=', refund.id)
    .execute();
  if (refund.state === 'done') return;
  await updateRefundStatus(trx, refund.order_id);
  await recordRefund(ctx, trx, await findOrder(trx, refund.order_id), refund.amount, providerNo);
}

/** Writes a refund that is done into the order's timeline, and informs the buyer. */
export async function recordRefund(
  ctx: Context,
  trx: Transaction<Schema>,
  order: OrderRow,
  amount: number,
  providerNo: string,
): Promise<void> {
  await recordOrderEvent(ctx, trx, order.id, 'refunded', {
    detail: `${formatOrderAmount(order, amount)} ${providerNo}`.trim(),
  });
  await notifyRefund(ctx, trx, order, amount);
}

interface Failure {
  event: 'refund-failed' | 'dispute-won';
  detail: string;
  /** Provider's number of the refund; empty without one. */
  providerNo: string;
}

/**
 * Reverses a refund whose money did not reach the buyer: returns its points, except the share of other refunds and
 * disputes.
 */
export async function reverseRefund(
  ctx: Context,
  trx: Transaction<Schema>,
  moves: Postings,
  refund: RefundRow,
  { event, detail, providerNo }: Failure,
): Promise<void> {
  const order = await findOrder(trx, refund.order_id);
  await trx
    .updateTable('order_refund')
    .set({ state: 'failed', processor_no: providerNo, next_ask_time: null })
    .where('id', '=', refund.id)
    .execute();
  if (refund.state === 'failed') return;
  await settleRefunds(ctx, trx, moves, order.id, {
    ref: `refund-undone:${refund.id}`,
    note: `Refund of ${formatOrderAmount(order, refund.amount)} reversed, order ${order.trade_no}`,
    mayOverdraw: true,
  });
  if (event === 'refund-failed') await recordRefundFailure(ctx, trx, order, refund.amount, detail);
  else await recordOrderEvent(ctx, trx, order.id, event, { detail });
}

/** Writes a refund that failed into the order's timeline, and informs the operator. */
export async function recordRefundFailure(
  ctx: Context,
  trx: Transaction<Schema>,
  order: OrderRow,
  amount: number,
  reason: string,
): Promise<void> {
  await recordOrderEvent(ctx, trx, order.id, 'refund-failed', { detail: reason });
  await notifyFailedRefund(ctx, trx, order, amount);
}

/** Marks an order for review whose refund is neither made nor refused. Its points stay deducted until then. */
export function markRefundForReview(
  ctx: Context,
  trx: Transaction<Schema>,
  order: OrderRow,
  { id, amount, reason }: Pick<RefundRow, 'id' | 'amount' | 'reason'>,
): Promise<void> {
  return markForReview(ctx, trx, order, 'refund-unclear', `${formatOrderAmount(order, amount)} ${id}, ${reason}`);
}

/** Ledger entry of a change. */
interface RefundEntry {
  ref: string;
  note: string;
  mayOverdraw: boolean;
}

/**
 * Brings the points and the status of a paid order in line with its refunds and disputes, and marks it for review when they
 * exceed its price. Does nothing before the order is paid.
 * @throws AppError `insufficient-balance` when the points are spent and may not become a debt
 */
export async function settleRefunds(
  ctx: Context,
  trx: Transaction<Schema>,
  moves: Postings,
  orderId: number,
  { ref, note, mayOverdraw }: RefundEntry,
): Promise<void> {
  const order = await findOrder(trx, orderId);
  if (order.paid_time === null) return;
  await markUncreditedRefunds(trx, order);
  const sum = sumAmounts(await listEffectiveRefunds(trx, orderId));
  const points = computeRefundPoints(order, sum);
  const amount = order.refunded_quota - points;
  if (amount !== 0) {
    await lockBuyerAndInviter(trx, moves, order);
    await moves.post({ kind: 'refund', ref, userId: order.user_id, amount, note, mayLeaveDebt: mayOverdraw });
    await reverseInviterShare(trx, moves, order, points);
  }
  await updateOrder(trx, orderId, { refunded_amount: Math.min(sum, order.order_amount), refunded_quota: points });
  await updateRefundStatus(trx, orderId);
  if (sum > order.order_amount)
    await markForReview(
      ctx,
      trx,
      order,
      'over-refunded',
      `${formatOrderAmount(order, sum)} of ${formatOrderAmount(order, order.order_amount)}`,
    );
}

/**
 * Sets the status of a paid order: disputed while a bank decides, refunded once all of its money is refunded,
 * otherwise paid.
 */
async function updateRefundStatus(trx: Transaction<Schema>, orderId: number): Promise<void> {
  const { order_amount, paid_time } = await findOrder(trx, orderId);
  if (paid_time === null) return;
  const refunds = await listEffectiveRefunds(trx, orderId);
  const isDisputed = refunds.some(({ state, is_dispute }) => state === 'pending' && is_dispute === 1);
  const isBack = sumAmounts(refunds.filter(({ state }) => state === 'done')) >= order_amount;
  const settled = isBack ? 'refunded' : 'success';
  await updateOrder(trx, orderId, { status: isDisputed ? 'disputed' : settled });
}

/**
 * Marks the refunds and disputes of payments that are known not to be the credited one. If staff confirmed a payment of
 * unknown number, it may be any payment that was not marked for review.
 */
async function markUncreditedRefunds(trx: Transaction<Schema>, order: OrderRow): Promise<void> {
  const { id, processor_no: creditedNo } = order;
  const uncredited = await listUncreditedPayments(trx, order);
  if (creditedNo === null && uncredited.length === 0) return;
  await trx
    .updateTable('order_refund')
    .set({ is_uncredited: 1 })
    .where('order_id', '=', id)
    .where((eb) =>
      creditedNo === null ? eb('payment_no', 'in', uncredited) : eb('payment_no', 'not in', ['', creditedNo]),
    )
    .execute();
}

/** Returns the refunds and disputes of an order's credited payment, except those that failed. */
function listEffectiveRefunds(trx: Transaction<Schema>, orderId: number) {
  return trx
    .selectFrom('order_refund')
    .select(['amount', 'state', 'is_dispute'])
    .where('order_id', '=', orderId)
    .where('state', '<>', 'failed')
    .where('is_uncredited', '=', 0)
    .execute();
}

function sumAmounts(refunds: readonly Pick<RefundRow, 'amount'>[]): number {
  return refunds.reduce((sum, { amount }) => sum + amount, 0);
}

/** @param amount in the currency's minor unit */
function notifyRefund(ctx: Context, trx: Kysely<Schema>, order: OrderRow, amount: number): Promise<void> {
  const facts = { order: order.trade_no, amount: formatOrderAmount(order, amount) };
  return notifyUser(ctx, order.user_id, 'order-refunded', facts, trx);
}

/** @param amount in the currency's minor unit */
async function notifyFailedRefund(ctx: Context, trx: Kysely<Schema>, order: OrderRow, amount: number): Promise<void> {
  const facts = { order: order.trade_no, amount: formatOrderAmount(order, amount) };
  await notifySite(ctx, 'site-refund-failed', { ...facts, username: await findBuyerName(trx, order) }, trx);
}
