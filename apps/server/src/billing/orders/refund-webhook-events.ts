/** Webhook events about refunds: the gateway's, and those made in the provider's dashboard. */
import type { Transaction } from 'kysely';
import type { Context } from '../../context.ts';
import type { Postings } from '../../ledger/ledger.ts';
import { newRequestId } from '../../platform/http/request-id.ts';
import type { Schema } from '../../schema.ts';
import type { ReportedRefund, WebhookEvent } from '../payment-integrations/payment-integrations.ts';
import { findOrder, type OrderRow, type RefundRow } from './order-rows.ts';
import {
  deductRefund,
  finishRefund,
  markRefundForReview,
  recordRefund,
  recordRefundFailure,
  reverseRefund,
  toOrderCurrency,
} from './refund-bookkeeping.ts';

type RefundEvent = Extract<WebhookEvent, { what: 'refunded' | 'refund-failed' | 'refund-unclear' }>;

/** Applies a refund event of the provider. A refund that is unknown here was made in the provider's dashboard. */
export async function applyRefundEvent(ctx: Context, orderId: number, event: RefundEvent): Promise<void> {
  await ctx.ledger.transaction(async (trx, moves) => {
    const known = await findReportedRefund(trx, orderId, event);
    // Events arrive in any order: an older event must not complete a refund that the provider reported as failed.
    if (known?.state === 'failed' && known.processor_no !== '') return;
    const order = await findOrder(trx, orderId);
    switch (event.what) {
      case 'refunded':
        // A refund that failed without a number of the provider was refused; this event is about another one.
        if (known !== undefined && known.state !== 'failed')
          return finishRefund(ctx, trx, known, event.providerRefundNo);
        await recordProviderRefund(ctx, trx, moves, order, event);
        return recordRefund(ctx, trx, order, toOrderCurrency(order, event), event.providerRefundNo);
      case 'refund-failed': {
        const { reason: detail, providerRefundNo: providerNo } = event;
        if (known !== undefined)
          return reverseRefund(ctx, trx, moves, known, { event: event.what, detail, providerNo });
        await recordProviderRefund(ctx, trx, moves, order, event);
        return recordRefundFailure(ctx, trx, order, toOrderCurrency(order, event), detail);
      }
      case 'refund-unclear':
        // A delayed event: the money has left the provider since.
        if (known?.state === 'done') return;
        return markRefundForReview(ctx, trx, order, { id: event.refundNo, ...event });
    }
  });
  await ctx.changes.publish({ topic: 'orders', ids: [orderId] });
}

/** Deducts the points of a refund that was made in the provider's dashboard, into debt if necessary. */
function recordProviderRefund(
  ctx: Context,
  trx: Transaction<Schema>,
  moves: Postings,
  order: OrderRow,
  { what, amount, currency, providerRefundNo, paymentNo }: RefundEvent,
): Promise<void> {
  return deductRefund(ctx, trx, moves, order, {
    // A new id: the provider's number may also belong to another order's refund.
    id: newRequestId(),
    amount: toOrderCurrency(order, { amount, currency }),
    state: what === 'refund-failed' ? 'failed' : 'done',
    reason: 'Refunded at the payment provider',
    by: null,
    mayOverdraw: true,
    nextPollTime: null,
    providerNo: providerRefundNo,
    paymentNo,
  });
}

/**
 * Finds the refund of an event: the one with the provider's number, else the one with the gateway's number and none
 * of the provider yet.
 */
function findReportedRefund(
  trx: Transaction<Schema>,
  orderId: number,
  { refundNo, providerRefundNo }: ReportedRefund,
): Promise<RefundRow | undefined> {
  return trx
    .selectFrom('order_refund')
    .selectAll()
    .where('order_id', '=', orderId)
    .where('is_dispute', '=', 0)
    .where((eb) =>
      eb.or([
        eb('processor_no', '=', providerRefundNo),
        eb.and([eb('id', '=', refundNo), eb('processor_no', '=', '')]),
      ]),
    )
    .orderBy('processor_no', 'desc')
    .executeTakeFirst();
}
