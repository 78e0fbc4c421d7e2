/** Rows of an order and its events, read and changed through the caller's connection or transaction. */
import type { OrderEvent, OrderReview } from '@switchyard/contract/billing/orders';
import { formatMinorUnits } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import type { Kysely, Selectable, Transaction } from 'kysely';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { notFound } from '../../platform/http/app-error.ts';
import type { Schema } from '../../schema.ts';
import type { ProviderRow } from '../payment-providers/payment-providers.ts';
import type { OrderRefundTable, PaymentOrderTable } from './table.ts';

export type OrderRow = Selectable<PaymentOrderTable>;
export type RefundRow = Selectable<OrderRefundTable>;

/** @throws AppError `not-found` */
export async function findOrder(db: Kysely<Schema>, id: number): Promise<OrderRow> {
  const order = await db.selectFrom('payment_order').selectAll().where('id', '=', id).executeTakeFirst();
  if (order === undefined) throw notFound('order', id);
  return order;
}

/** @throws AppError `not-found`, also for another user's order */
export async function findOwnOrder(db: Kysely<Schema>, userId: number, tradeNo: string): Promise<OrderRow> {
  const order = await db
    .selectFrom('payment_order')
    .selectAll()
    .where('trade_no', '=', tradeNo)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (order === undefined) throw notFound('order', tradeNo);
  return order;
}

/** Finds the payment provider, even a disabled or removed one, since earlier payments are still credited. */
export async function findOrderProvider(
  db: Kysely<Schema>,
  order: Pick<OrderRow, 'processor_id'>,
): Promise<ProviderRow> {
  return db.selectFrom('processor').selectAll().where('id', '=', order.processor_id).executeTakeFirstOrThrow();
}

/** Records an event of an order. `by` is the member of staff who caused it. */
export async function recordOrderEvent(
  ctx: Context,
  db: Kysely<Schema>,
  orderId: number,
  event: OrderEvent['event'],
  { detail = '', by = null, paymentNo = '' }: { detail?: string; by?: number | null; paymentNo?: string } = {},
): Promise<void> {
  await db
    .insertInto('order_event')
    .values({
      order_id: orderId,
      created_time: nowSeconds(ctx.clock),
      event,
      user_id: by,
      detail,
      payment_no: paymentNo,
    })
    .execute();
}

/** Maximum number of events of one order in a response. */
const EVENTS_MAX = 200;

/**
 * Returns the newest events of an order, the oldest of them first.
 * @param forStaff whether to include the member of staff and the provider's details
 */
export async function listOrderEvents(db: Kysely<Schema>, orderId: number, forStaff: boolean): Promise<OrderEvent[]> {
  const rows = await db
    .selectFrom('order_event')
    .leftJoin('user', 'user.id', 'order_event.user_id')
    .select(['order_event.created_time', 'order_event.event', 'order_event.detail', 'user.username'])
    .where('order_id', '=', orderId)
    .orderBy('order_event.id', 'desc')
    .limit(EVENTS_MAX)
    .execute();
  return rows
    .toReversed()
    .map(({ created_time, event, detail, username }) => ({
      created_at: created_time,
      event,
      username: forStaff ? username : null,
      detail: forStaff ? detail : '',
    }));
}

/**
 * Marks an order for review by staff, once per detail, however often it is reported.
 * @param paymentNo number of the payment that was not credited
 */
export async function markForReview(
  ctx: Context,
  trx: Transaction<Schema>,
  { id, trade_no }: Pick<OrderRow, 'id' | 'trade_no'>,
  review: OrderReview,
  facts: string,
  paymentNo = '',
): Promise<void> {
  const detail = `${review}: ${facts}`;
  const known = await trx
    .selectFrom('order_event')
    .select('id')
    .where('order_id', '=', id)
    .where('event', '=', 'parked')
    .where('detail', '=', detail)
    .executeTakeFirst();
  if (known !== undefined) return;
  await updateOrder(trx, id, { review });
  await recordOrderEvent(ctx, trx, id, 'parked', { detail, paymentNo });
  ctx.log.error({ order: trade_no, review }, 'an order needs a review by staff');
}

/** Returns the numbers of an order's payments that were marked for review and not credited. */
export async function listUncreditedPayments(
  db: Kysely<Schema>,
  { id, processor_no }: Pick<OrderRow, 'id' | 'processor_no'>,
): Promise<string[]> {
  const rows = await db
    .selectFrom('order_event')
    .select('payment_no')
    .distinct()
    .where('order_id', '=', id)
    .where('payment_no', 'not in', ['', processor_no ?? ''])
    .execute();
  return rows.map(({ payment_no }) => payment_no);
}

export async function updateOrder(
  trx: Transaction<Schema>,
  id: number,
  changes: Partial<Omit<OrderRow, 'id'>>,
): Promise<OrderRow> {
  return trx.updateTable('payment_order').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

/** Formats an amount in the order's minor unit, such as `12.30 CNY`. */
export function formatOrderAmount({ currency }: Pick<OrderRow, 'currency'>, amount: number): string {
  return `${formatMinorUnits(amount, currency)} ${currency}`;
}

export async function findBuyerName(trx: Kysely<Schema>, { user_id }: OrderRow): Promise<string> {
  const buyer = await trx.selectFrom('user').select('username').where('id', '=', user_id).executeTakeFirst();
  return buyer?.username ?? '';
}
