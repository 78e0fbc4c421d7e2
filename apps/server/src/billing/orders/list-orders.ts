import type { Order, OwnOrder, orders } from '@switchyard/contract/billing/orders';
import { toMajorUnits } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import { toPoints } from '@switchyard/contract/money';
import type { Page, RouteInput } from '@switchyard/contract/route';
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { equalsIgnoringCase, readPage } from '../../db/paging.ts';
import { formatCsvTime, streamCsv } from '../../platform/csv-export.ts';
import { streamPages } from '../../platform/stream-pages-and-json.ts';
import { type JoinedOrder, presentOrder, presentOwnOrder, selectOrders } from './present-order.ts';

type Filter = RouteInput<(typeof orders)['totals']>['query'];
type ListQuery = RouteInput<(typeof orders)['list']>['query'];
type OwnQuery = RouteInput<(typeof orders)['listOwn']>['query'];

const columns = {
  id: 'payment_order.id',
  gateway_id: 'payment_order.processor_id',
  user_id: 'payment_order.user_id',
  status: 'payment_order.status',
  created_at: 'payment_order.created_time',
  amount: 'payment_order.amount_usd',
};
const paging = { columns, fallback: '-id', tieBreak: 'payment_order.id' };

export function listOrders(ctx: Context, query: ListQuery): Promise<Page<Order>> {
  return readPage(filtered(ctx, query), query, { ...paging, present: presentOrder });
}

export function listOwnOrders(ctx: Context, userId: number, query: OwnQuery): Promise<Page<OwnOrder>> {
  let rows = selectOrders(ctx.db.reader).where('payment_order.user_id', '=', userId);
  if (query.status !== undefined) rows = rows.where('payment_order.status', '=', query.status);
  return readPage(rows, query, { ...paging, present: presentOwnOrder });
}

export async function sumOrders(ctx: Context, filter: Filter) {
  const rows = await filtered(ctx, filter)
    .clearSelect()
    .select('payment_order.currency')
    .select((eb) => eb.fn.countAll<number>().as('orders'))
    .select(sql<number>`sum(paid_time is not null)`.as('paid'))
    .select(sql<number>`sum(case when paid_time is null then 0 else order_amount end)`.as('paid_amount'))
    .select(sql<number>`sum(refunded_amount)`.as('refunded_amount'))
    .select(
      sql<number>`sum(case when paid_time is null then 0 else payment_order.quota - refunded_quota end)`.as('quota'),
    )
    .groupBy('payment_order.currency')
    .orderBy('payment_order.currency')
    .execute();
  return rows.map((row) => ({
    currency: row.currency,
    orders: row.orders,
    paid: row.paid,
    paid_amount: toMajorUnits(row.paid_amount, row.currency),
    refunded_amount: toMajorUnits(row.refunded_amount, row.currency),
    quota: toPoints(row.quota),
  }));
}

const csvColumns: readonly [string, (order: Order) => string | number][] = [
  ['created', (o) => formatCsvTime(o.created_at)],
  ['paid', (o) => formatCsvTime(o.paid_at)],
  ['trade_no', (o) => o.trade_no],
  ['gateway', (o) => o.gateway_name],
  ['gateway_no', (o) => o.gateway_no],
  ['user_id', (o) => o.user_id],
  ['username', (o) => o.username],
  ['status', (o) => o.status],
  ['review', (o) => o.review],
  ['amount_usd', (o) => o.amount],
  ['fee_usd', (o) => o.fee],
  ['discount_usd', (o) => o.discount],
  ['order_amount', (o) => o.order_amount],
  ['currency', (o) => o.order_currency],
  ['refunded_amount', (o) => o.refunded_amount],
  ['quota', (o) => o.quota],
  ['refunded_quota', (o) => o.refunded_quota],
];

/** Yields the newest matching orders, at most 100,000, as CSV. */
export function exportOrders(ctx: Context, filter: Filter): AsyncIterable<string> {
  return streamCsv(csvColumns, presentOrder, (last, size) =>
    filtered(ctx, filter)
      .where('payment_order.id', '<', last?.id ?? Number.MAX_SAFE_INTEGER)
      .orderBy('payment_order.id', 'desc')
      .limit(size)
      .execute(),
  );
}

const OWN_EXPORT = { size: 500, most: Number.POSITIVE_INFINITY };

/** Yields all orders of a user for a data export, oldest first. */
export async function* exportOwnOrders({ db }: Pick<Context, 'db'>, userId: number): AsyncGenerator<OwnOrder[]> {
  const pages = streamPages(OWN_EXPORT, (last: JoinedOrder | undefined, size) =>
    selectOrders(db.reader)
      .where('payment_order.user_id', '=', userId)
      .where('payment_order.id', '>', last?.id ?? 0)
      .orderBy('payment_order.id')
      .limit(size)
      .execute(),
  );
  for await (const rows of pages) yield rows.map(presentOwnOrder);
}

function filtered(ctx: Context, filter: Filter) {
  let query = selectOrders(ctx.db.reader);
  const { review, username, start_timestamp, end_timestamp } = filter;
  if (filter.user_id !== undefined) query = query.where('payment_order.user_id', '=', filter.user_id);
  if (filter.gateway_id !== undefined) query = query.where('processor_id', '=', filter.gateway_id);
  if (filter.trade_no !== undefined) query = query.where('trade_no', '=', filter.trade_no);
  if (filter.gateway_no !== undefined) query = query.where('processor_no', '=', filter.gateway_no);
  if (filter.status !== undefined) query = query.where('payment_order.status', '=', filter.status);
  if (username !== undefined) query = query.where(equalsIgnoringCase('user.username', username));
  if (review !== undefined) query = query.where('review', review ? '<>' : '=', '');
  if (start_timestamp !== undefined) query = query.where('payment_order.created_time', '>=', start_timestamp);
  if (end_timestamp !== undefined) query = query.where('payment_order.created_time', '<=', end_timestamp);
  return query;
}
