/** Formats orders for the API. */

import type { Order, OwnOrder } from '@switchyard/contract/billing/orders';
import { MICROS, toMajorUnits } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import type { OrderId, PaymentProviderId, UserId } from '@switchyard/contract/ids';
import { toPoints } from '@switchyard/contract/money';
import type { Kysely } from 'kysely';
import type { Schema } from '../../schema.ts';

/** Selects orders with the names of their buyers and payment providers. */
export function selectOrders(db: Kysely<Schema>) {
  return db
    .selectFrom('payment_order')
    .innerJoin('processor', 'processor.id', 'payment_order.processor_id')
    .innerJoin('user', 'user.id', 'payment_order.user_id')
    .selectAll('payment_order')
    .select(['processor.name as processor_name', 'processor.type as processor_type', 'user.username']);
}

export type JoinedOrder = Awaited<ReturnType<ReturnType<typeof selectOrders>['executeTakeFirstOrThrow']>>;

export function presentOwnOrder(row: JoinedOrder): OwnOrder {
  return {
    id: row.id as OrderId,
    trade_no: row.trade_no,
    status: row.status,
    gateway_id: row.processor_id as PaymentProviderId,
    gateway_name: row.processor_name,
    gateway_type: row.processor_type,
    gateway_no: row.processor_no ?? '',
    amount: row.amount_usd,
    quota: toPoints(row.quota),
    fee: row.fee_micros / MICROS,
    discount: row.saved_micros / MICROS,
    order_amount: toMajorUnits(row.order_amount, row.currency),
    order_currency: row.currency,
    refunded_amount: toMajorUnits(row.refunded_amount, row.currency),
    refunded_quota: toPoints(row.refunded_quota),
    created_at: row.created_time,
    expires_at: row.expires_time,
    paid_at: row.paid_time,
  };
}

export function presentOrder(row: JoinedOrder): Order {
  return { ...presentOwnOrder(row), user_id: row.user_id as UserId, username: row.username, review: row.review };
}
