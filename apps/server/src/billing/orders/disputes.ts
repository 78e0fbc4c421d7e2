/**
 * Disputes: amounts that a buyer's bank withdraws until the dispute is decided, recorded as refunds that weren't
 * requested here.
 */
import type { Transaction } from 'kysely';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import type { Schema } from '../../schema.ts';
import type { NoticeEvent } from '../payments/payments.ts';
import { findOrder, note, type OrderRow } from './order-rows.ts';
import {
  findRefundNamed,
  finishRefund,
  settleStatus,
  takeBack,
  undoRefund,
  waitForPayment,
} from './refunds.ts';

type DisputeNotice = Extract<NoticeEvent, { what: 'disputed' | 'dispute-won' | 'dispute-lost' }>;

/**
 * While a bank decides, the points are taken; they may be spent already, and then the user owes them.
 * @throws NoticeRefused before its payment is known
 */
export async function applyDispute(
  ctx: Context,
  orderId: number,
  { what, disputeNo, amount }: DisputeNotice,
): Promise<void> {
  await ctx.ledger.transaction(async (trx, moves) => {
    const known = await findRefundNamed(trx, orderId, [disputeNo]);
    const order = await findOrder(trx, orderId);
    if (known === undefined) {
      const left = order.order_amount - order.refunded_amount;
      if (order.paid_time === null) return waitForPayment(order);
      if (left === 0) return;
      if (what === 'dispute-won') return recordSettledDispute(ctx, trx, order, { disputeNo, amount });
      await takeBack(ctx, trx, moves, order, {
        id: disputeNo,
        amount: Math.min(amount, left),
        state: 'pending',
        reason: 'Disputed',
        by: null,
        isDispute: true,
        mayLeaveDebt: true,
        nextAskTime: null,
      });
      await settleStatus(trx, orderId);
      await note(ctx, trx, orderId, 'disputed', { detail: disputeNo });
    }
    const dispute = known ?? (await findRefundNamed(trx, orderId, [disputeNo]));
    if (dispute === undefined || dispute.state !== 'pending') return;
    if (what === 'dispute-won')
      await undoRefund(ctx, trx, moves, dispute, { event: what, detail: disputeNo });
    if (what === 'dispute-lost') {
      await note(ctx, trx, orderId, what, { detail: disputeNo });
      await finishRefund(ctx, trx, dispute, disputeNo);
    }
  });
  await ctx.changes.publish({ topic: 'orders', ids: [orderId] });
}

/** Notices come in any order: the beginning of a dispute that is won already takes nothing. */
async function recordSettledDispute(
  ctx: Context,
  trx: Transaction<Schema>,
  order: OrderRow,
  { disputeNo, amount }: Pick<DisputeNotice, 'disputeNo' | 'amount'>,
): Promise<void> {
  await trx
    .insertInto('order_refund')
    .values({
      id: disputeNo,
      order_id: order.id,
      amount,
      quota: 0,
      state: 'failed',
      reason: 'Disputed',
      is_dispute: 1,
      processor_no: '',
      created_by: null,
      created_time: nowSeconds(ctx.clock),
      next_ask_time: null,
    })
    .execute();
  await note(ctx, trx, order.id, 'dispute-won', { detail: disputeNo });
}
