/** Payments that cannot be credited to their order: why not, and the review of the order by staff. */
import type { OrderReview } from '@switchyard/contract/billing/orders';
import { formatMinorUnits } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import { sql, type Transaction } from 'kysely';
import { hasUserRight } from '../../accounts/staff-roles/staff-roles.ts';
import type { Context } from '../../context.ts';
import type { Postings } from '../../ledger/ledger.ts';
import { AppError } from '../../platform/http/app-error.ts';
import type { Schema } from '../../schema.ts';
import type { ConfirmedPayment } from '../payment-integrations/payment-integrations.ts';
import { TEST_MODE_RIGHT } from '../payment-providers/payment-providers.ts';
import {
  findOrder,
  findOrderProvider,
  formatOrderAmount,
  listUncreditedPayments,
  markForReview,
  type OrderRow,
  recordOrderEvent,
  updateOrder,
} from './order-rows.ts';
import { settleRefunds } from './refund-bookkeeping.ts';

/**
 * Returns the number of the only payment that an unpaid order is under review for; null without one, and if some of it
 * was refunded: then staff confirms another payment.
 */
export async function findPaymentUnderReview(trx: Transaction<Schema>, order: OrderRow): Promise<string | null> {
  if (order.review === '') return null;
  const [paymentNo = '', ...others] = await listUncreditedPayments(trx, order);
  if (paymentNo === '' || others.length > 0) return null;
  const refund = await trx
    .selectFrom('order_refund')
    .select('id')
    .where('order_id', '=', order.id)
    .where('payment_no', '=', paymentNo)
    .where('state', '<>', 'failed')
    .executeTakeFirst();
  return refund === undefined ? paymentNo : null;
}

/** Resolves the review of an order. */
export async function resolveReview(
  ctx: Context,
  orderId: number,
  { by, reason }: { by: number; reason: string },
): Promise<void> {
  await ctx.ledger.transaction(async (trx) => {
    const order = await findOrder(trx, orderId);
    if (order.review === '') throw new AppError('conflict', 'This order has nothing to review');
    await updateOrder(trx, orderId, { review: '' });
    await recordOrderEvent(ctx, trx, orderId, 'resolved', { detail: reason, by });
  });
  await ctx.changes.publish({ topic: 'orders', ids: [orderId] });
}

/** Returns the reason why a confirmed payment cannot be credited to this order. */
export async function findPaymentMismatch(
  ctx: Context,
  trx: Transaction<Schema>,
  order: OrderRow,
  { providerNo, amount, currency }: ConfirmedPayment,
): Promise<OrderReview> {
  if (await isPaymentAlreadyUsed(trx, order, providerNo)) return 'payment-reused';
  if (order.paid_time !== null) return order.status === 'refunded' ? 'paid-after-refund' : 'paid-twice';
  if (currency !== order.currency) return 'currency-differs';
  if (amount !== order.order_amount) return 'amount-differs';
  const { deleted_time } = await trx
    .selectFrom('user')
    .select('deleted_time')
    .where('id', '=', order.user_id)
    .executeTakeFirstOrThrow();
  if (deleted_time !== null) return 'account-deleted';
  return (await isAllowedPayment(ctx, trx, order)) ? '' : 'test-payment';
}

/**
 * Returns whether the buyer may still use the payment provider's mode: a test payment costs nothing, so that a buyer
 * who lost the permission after the order was created must not be credited for it.
 */
async function isAllowedPayment(ctx: Context, trx: Transaction<Schema>, order: OrderRow): Promise<boolean> {
  const { sandbox } = await findOrderProvider(trx, order);
  return sandbox === 0 || hasUserRight(ctx, trx, order.user_id, TEST_MODE_RIGHT);
}

export async function isPaymentAlreadyUsed(
  trx: Transaction<Schema>,
  { id, processor_id }: OrderRow,
  providerNo: string,
): Promise<boolean> {
  const credited = await trx
    .selectFrom('payment_order')
    .select('id')
    .where('processor_id', '=', processor_id)
    .where('processor_no', '=', providerNo)
    .where('id', '<>', id)
    .executeTakeFirst();
  if (credited !== undefined) return true;
  const reviewed = await trx
    .selectFrom('order_event')
    .innerJoin('payment_order', 'payment_order.id', 'order_event.order_id')
    .select('order_event.id')
    .where('payment_order.processor_id', '=', processor_id)
    .where('order_event.payment_no', '=', providerNo)
    // Makes the partial index usable.
    .where(sql<boolean>`order_event.payment_no <> ''`)
    .where('payment_order.id', '<>', id)
    .executeTakeFirst();
  return reviewed !== undefined;
}

export async function markPaymentForReview(
  ctx: Context,
  trx: Transaction<Schema>,
  moves: Postings,
  order: OrderRow,
  review: OrderReview,
  { providerNo, amount, currency }: ConfirmedPayment,
): Promise<undefined> {
  const expected = formatOrderAmount(order, order.order_amount);
  const paid = `${formatMinorUnits(amount, order.currency)} ${currency} as ${providerNo}`;
  // A reused payment belongs to the other order.
  const paymentNo = review === 'payment-reused' ? '' : providerNo;
  await markForReview(ctx, trx, order, review, `${paid}, expected ${expected}`, paymentNo);
  await settleRefunds(ctx, trx, moves, order.id, {
    ref: `refunds-of-uncredited:${order.trade_no}:${providerNo}`,
    note: `Refunds of a payment that was not credited, order ${order.trade_no}`,
    mayOverdraw: true,
  });
}
