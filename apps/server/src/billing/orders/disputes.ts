/**
 * Disputes: amounts that a buyer's bank withdraws until the dispute is decided, recorded as refunds that weren't
 * requested here.
 */
import type { Transaction } from 'kysely';
import type { Context } from '../../context.ts';
import type { Schema } from '../../schema.ts';
import type { WebhookEvent } from '../payment-integrations/payment-integrations.ts';
import { findOrder, type RefundRow, recordOrderEvent } from './order-rows.ts';
import { deductRefund, finishRefund, reverseRefund, toOrderCurrency } from './refund-bookkeeping.ts';

type DisputeEvent = Extract<WebhookEvent, { what: 'disputed' | 'dispute-won' | 'dispute-lost' }>;

/** Deducts the points while a bank decides; if they are already spent, the user owes them. */
export async function applyDispute(
  ctx: Context,
  orderId: number,
  { what, disputeNo, amount, currency, paymentNo }: DisputeEvent,
): Promise<void> {
  await ctx.ledger.transaction(async (trx, moves) => {
    if ((await findDispute(trx, orderId, disputeNo)) === undefined) {
      const order = await findOrder(trx, orderId);
      await deductRefund(ctx, trx, moves, order, {
        id: disputeNo,
        amount: toOrderCurrency(order, { amount, currency }),
        // Events arrive in any order: the start of a dispute that was already won deducts nothing.
        state: what === 'dispute-won' ? 'failed' : 'pending',
        reason: 'Disputed',
        by: null,
        isDispute: true,
        mayOverdraw: true,
        nextPollTime: null,
        paymentNo,
      });
      const isForeign = currency !== undefined && currency !== order.currency;
      const detail = isForeign ? `${disputeNo} (${amount} ${currency})` : disputeNo;
      await recordOrderEvent(ctx, trx, orderId, what === 'dispute-won' ? what : 'disputed', { detail });
    }
    const dispute = await findDispute(trx, orderId, disputeNo);
    if (dispute === undefined || dispute.state === 'failed') return;
    // An appeal may win a dispute that was lost.
    if (what === 'dispute-won')
      await reverseRefund(ctx, trx, moves, dispute, { event: what, detail: disputeNo, providerNo: disputeNo });
    if (what === 'dispute-lost' && dispute.state === 'pending') {
      await recordOrderEvent(ctx, trx, orderId, what, { detail: disputeNo });
      await finishRefund(ctx, trx, dispute, disputeNo);
    }
  });
  await ctx.changes.publish({ topic: 'orders', ids: [orderId] });
}

function findDispute(trx: Transaction<Schema>, orderId: number, disputeNo: string): Promise<RefundRow | undefined> {
  return trx
    .selectFrom('order_refund')
    .selectAll()
    .where('order_id', '=', orderId)
    .where('id', '=', disputeNo)
    .executeTakeFirst();
}
