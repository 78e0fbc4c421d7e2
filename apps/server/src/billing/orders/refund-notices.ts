/** Webhook events about refunds: ours, and those that were made at the payment provider's own desk. */
import type { Transaction } from 'kysely';
import type { Context } from '../../context.ts';
import { newRequestId } from '../../platform/http/request-id.ts';
import type { Schema } from '../../schema.ts';
import type { NoticeEvent } from '../payments/payments.ts';
import { findOrder, type RefundRow } from './order-rows.ts';
import { finishRefund, recordRefund, takeBack } from './refunds.ts';

type RefundNotice = Extract<NoticeEvent, { what: 'refunded' }>;

/** A refund that is unknown here was made at the provider's desk. Its points are taken, and become a debt if need be. */
export async function applyRefundNotice(
  ctx: Context,
  orderId: number,
  { refundNo, processorRefundNo, amount }: RefundNotice,
): Promise<void> {
  await ctx.ledger.transaction(async (trx, moves) => {
    const known = await findReported(trx, orderId, { refundNo, processorRefundNo });
    // A refund that the provider refused has no number of the provider: this one was made nevertheless.
    if (known !== undefined && (known.state !== 'failed' || known.processor_no !== ''))
      return finishRefund(ctx, trx, known, processorRefundNo);
    const order = await findOrder(trx, orderId);
    await takeBack(ctx, trx, moves, order, {
      // The processor's number may be one that another order's refund has, too.
      id: newRequestId(),
      amount,
      state: 'done',
      reason: 'Made at the processor',
      by: null,
      mayLeaveDebt: true,
      nextAskTime: null,
      processorNo: processorRefundNo,
    });
    await recordRefund(ctx, trx, order, amount, processorRefundNo);
  });
  await ctx.changes.publish({ topic: 'orders', ids: [orderId] });
}

/**
 * Finds the refund that an event is about: the one that has the provider's number, otherwise the one that has our number
 * and none of the provider yet.
 */
function findReported(
  trx: Transaction<Schema>,
  orderId: number,
  { refundNo, processorRefundNo }: Pick<RefundNotice, 'refundNo' | 'processorRefundNo'>,
): Promise<RefundRow | undefined> {
  return trx
    .selectFrom('order_refund')
    .selectAll()
    .where('order_id', '=', orderId)
    .where('is_dispute', '=', 0)
    .where((eb) =>
      eb.or([
        eb('processor_no', '=', processorRefundNo),
        eb.and([eb('id', '=', refundNo), eb('processor_no', '=', '')]),
      ]),
    )
    .orderBy('processor_no', 'desc')
    .executeTakeFirst();
}
