import type { Kysely } from 'kysely';
import type { Context } from '../../context.ts';
import { notifySite, notifyUser } from '../../operations/alerts/alerts.ts';
import type { Schema } from '../../schema.ts';
import { formatOrderAmount, type OrderRow } from './order-rows.ts';

/** Notifies the buyer and the site of an order's result, if the transaction commits. */
export async function notifyOrderResult(
  ctx: Context,
  trx: Kysely<Schema>,
  order: OrderRow,
  what: 'paid' | 'failed',
): Promise<void> {
  const facts = { order: order.trade_no, amount: formatOrderAmount(order, order.order_amount) };
  await notifyUser(ctx, order.user_id, `order-${what}`, facts, trx);
  await notifySite(ctx, `site-order-${what}`, { ...facts, username: await findBuyerName(trx, order) }, trx);
}

/** @param amount in the currency's minor unit */
export function notifyRefund(ctx: Context, trx: Kysely<Schema>, order: OrderRow, amount: number): Promise<void> {
  const facts = { order: order.trade_no, amount: formatOrderAmount(order, amount) };
  return notifyUser(ctx, order.user_id, 'order-refunded', facts, trx);
}

/** @param amount in the currency's minor unit */
export async function notifyFailedRefund(
  ctx: Context,
  trx: Kysely<Schema>,
  order: OrderRow,
  amount: number,
): Promise<void> {
  const facts = { order: order.trade_no, amount: formatOrderAmount(order, amount) };
  await notifySite(ctx, 'site-refund-failed', { ...facts, username: await findBuyerName(trx, order) }, trx);
}

async function findBuyerName(trx: Kysely<Schema>, { user_id }: OrderRow): Promise<string> {
  const buyer = await trx.selectFrom('user').select('username').where('id', '=', user_id).executeTakeFirst();
  return buyer?.username ?? '';
}
