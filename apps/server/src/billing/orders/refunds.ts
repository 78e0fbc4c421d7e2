/**
 * Money that goes back. The points are taken before the money is sent, in one transaction with a row that says so; the
 * row's number is the one by which the processor sends the money once. What became of a refund whose answer was lost is
 * asked until it is known; one that the processor refuses gives the points back.
 */
import { sql, type Transaction } from 'kysely';
import { takeBackShare } from '../../accounts/invitations/invitations.ts';
import type { Context } from '../../context.ts';
import type { Moves } from '../../ledger/ledger.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError } from '../../platform/http/app-error.ts';
import { newRequestId } from '../../platform/http/request-id.ts';
import type { Schema } from '../../schema.ts';
import { type NoticeEvent, NoticeRefused } from '../payments/payments.ts';
import { alertOfRefund } from './order-alerts.ts';
import { findOrder, moneyOf, note, type OrderRow, type RefundRow, updateOrder } from './order-rows.ts';

type RefundNotice = Extract<NoticeEvent, { what: 'refunded' }>;

interface NewRefund {
  id: string;
  /** Amount in the smallest coin. */
  amount: number;
  state: 'pending' | 'done';
  reason: string;
  by: number | null;
  /** A bank took the money, and has not decided yet. */
  isDispute?: boolean;
  mayLeaveDebt: boolean;
  /** When the processor is asked about it; null: never. */
  nextAskTime: number | null;
  processorNo?: string;
}

/**
 * Points for a part of the money: each refund takes what the sum of all is worth so far, less what was taken, so that a
 * full refund in any parts takes exactly what was credited. Rounded down: for the user.
 */
export function quotaOfRefund(order: OrderRow, amount: number): number {
  const sum = BigInt(order.refunded_amount + amount);
  return Number((BigInt(order.quota) * sum) / BigInt(order.order_amount)) - order.refunded_quota;
}

/**
 * @throws AppError `conflict` for an order that is not paid, or has less money left; `insufficient-balance` when the
 * points are spent and may not become a debt
 */
export async function takeBack(
  ctx: Context,
  trx: Transaction<Schema>,
  moves: Moves,
  order: OrderRow,
  refund: NewRefund,
): Promise<void> {
  if (order.paid_time === null) throw new AppError('conflict', 'This order is not paid');
  if (refund.amount > order.order_amount - order.refunded_amount)
    throw new AppError('conflict', 'The refund exceeds the refundable amount');
  const quota = quotaOfRefund(order, refund.amount);
  await trx
    .insertInto('order_refund')
    .values({
      id: refund.id,
      order_id: order.id,
      amount: refund.amount,
      quota,
      state: refund.state,
      reason: refund.reason,
      is_dispute: Number(refund.isDispute ?? false),
      processor_no: refund.processorNo ?? '',
      created_by: refund.by,
      created_time: nowSeconds(ctx.clock),
      next_ask_time: refund.nextAskTime,
    })
    .execute();
  await moves.move({
    kind: 'refund',
    ref: `refund:${refund.id}`,
    userId: order.user_id,
    amount: -quota,
    note: `Refund of ${moneyOf(order, refund.amount)}, order ${order.trade_no}`,
    mayLeaveDebt: refund.mayLeaveDebt,
  });
  await updateOrder(trx, order.id, {
    refunded_amount: order.refunded_amount + refund.amount,
    refunded_quota: order.refunded_quota + quota,
  });
  await takeBackShare(trx, moves, order, order.refunded_quota + quota);
}

/** The money is back. */
export async function finishRefund(
  ctx: Context,
  trx: Transaction<Schema>,
  refund: RefundRow,
  processorNo: string,
): Promise<void> {
  if (refund.state !== 'pending') return;
  await trx
    .updateTable('order_refund')
    .set({ state: 'done', processor_no: processorNo, next_ask_time: null })
    .where('id', '=', refund.id)
    .execute();
  const order = await findOrder(trx, refund.order_id);
  await recordRefund(ctx, trx, order, refund.amount, processorNo);
}

/** The processor will not send the money: the points come back. */
export async function undoRefund(
  ctx: Context,
  trx: Transaction<Schema>,
  moves: Moves,
  refund: RefundRow,
  { event, detail }: { event: 'refund-failed' | 'dispute-won'; detail: string },
): Promise<void> {
  if (refund.state !== 'pending') return;
  const order = await findOrder(trx, refund.order_id);
  await trx
    .updateTable('order_refund')
    .set({ state: 'failed', next_ask_time: null })
    .where('id', '=', refund.id)
    .execute();
  await moves.move({
    kind: 'refund',
    ref: `refund-undone:${refund.id}`,
    userId: order.user_id,
    amount: refund.quota,
    note: `Refund of ${moneyOf(order, refund.amount)} reversed, order ${order.trade_no}`,
  });
  await updateOrder(trx, order.id, {
    refunded_amount: order.refunded_amount - refund.amount,
    refunded_quota: order.refunded_quota - refund.quota,
  });
  await settleStatus(trx, order.id);
  await takeBackShare(trx, moves, order, order.refunded_quota - refund.quota);
  await note(ctx, trx, order.id, event, { detail });
}

/**
 * Ours that is confirmed, or one that was made at the processor's own desk.
 * @throws NoticeRefused before its payment is known
 */
export async function applyRefundNotice(
  ctx: Context,
  orderId: number,
  { refundNo, processorRefundNo, amount }: RefundNotice,
): Promise<void> {
  await ctx.ledger.transaction(async (trx, moves) => {
    const known = await findRefundNamed(trx, orderId, [refundNo, processorRefundNo]);
    // One that was given up and made nevertheless takes the points again.
    if (known !== undefined && known.state !== 'failed')
      return finishRefund(ctx, trx, known, processorRefundNo);
    const order = await findOrder(trx, orderId);
    if (order.paid_time === null) return waitForPayment(order);
    const left = order.order_amount - order.refunded_amount;
    if (left === 0) return;
    await takeBack(ctx, trx, moves, order, {
      // The processor's number may be one that another order's refund has, too.
      id: newRequestId(),
      amount: Math.min(amount, left),
      state: 'done',
      reason: 'Refunded at the payment provider',
      by: null,
      mayLeaveDebt: true,
      nextAskTime: null,
      processorNo: processorRefundNo,
    });
    await recordRefund(ctx, trx, await findOrder(trx, orderId), Math.min(amount, left), processorRefundNo);
  });
  await ctx.changes.publish({ topic: 'orders', ids: [orderId] });
}

/**
 * A payment that is credited later would otherwise keep points whose money is back. One that is parked is never credited.
 * @throws NoticeRefused so that the processor tells it again
 */
export function waitForPayment({ review }: OrderRow): void {
  if (review === '') throw new NoticeRefused('The payment of this refund is not known yet');
}

/** A paid order is disputed while a bank decides, refunded once all of its money is back, and otherwise paid. */
export async function settleStatus(trx: Transaction<Schema>, orderId: number): Promise<void> {
  const { order_amount } = await findOrder(trx, orderId);
  const refunds = await trx
    .selectFrom('order_refund')
    .select(['amount', 'state', 'is_dispute'])
    .where('order_id', '=', orderId)
    .where('state', '<>', 'failed')
    .execute();
  const back = refunds.filter(({ state }) => state === 'done').reduce((sum, { amount }) => sum + amount, 0);
  const isDisputed = refunds.some(({ state, is_dispute }) => state === 'pending' && is_dispute === 1);
  const settled = back === order_amount ? 'refunded' : 'success';
  await updateOrder(trx, orderId, { status: isDisputed ? 'disputed' : settled });
}

async function recordRefund(
  ctx: Context,
  trx: Transaction<Schema>,
  order: OrderRow,
  amount: number,
  processorNo: string,
): Promise<void> {
  await settleStatus(trx, order.id);
  await note(ctx, trx, order.id, 'refunded', { detail: `${moneyOf(order, amount)} ${processorNo}`.trim() });
  await alertOfRefund(ctx, trx, order, amount);
}

/** Finds a refund by our number or the payment provider's. Prefers one that is pending or done to one that failed. */
export function findRefundNamed(
  trx: Transaction<Schema>,
  orderId: number,
  names: readonly string[],
): Promise<RefundRow | undefined> {
  const given = names.filter((name) => name !== '');
  return trx
    .selectFrom('order_refund')
    .selectAll()
    .where('order_id', '=', orderId)
    .where((eb) => eb.or([eb('id', 'in', given), eb('processor_no', 'in', given)]))
    .orderBy(sql`state = 'failed'`)
    .executeTakeFirst();
}
