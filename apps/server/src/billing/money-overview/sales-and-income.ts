/** Charges and costs of calls, and the income from orders. */
import type { moneyOverview } from '@switchyard/contract/billing/money-overview';
import { type Currency, MICROS, toMajorUnits } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import { toPoints } from '@switchyard/contract/money';
import type { RouteInput, RouteResponse } from '@switchyard/contract/route';
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { readGroupTotals } from '../../usage/usage-records/usage-records.ts';

const HOUR = 3600;
const DAY = 86_400;

type Sales = RouteResponse<(typeof moneyOverview)['sales']>;
type SalesBy = RouteInput<(typeof moneyOverview)['sales']>['query']['by'];
type Income = RouteResponse<(typeof moneyOverview)['income']>;
type IncomeBy = RouteInput<(typeof moneyOverview)['income']>['query']['by'];

const keys = {
  total: sql`''`,
  day: sql`cast(o.paid_time - o.paid_time % ${sql.lit(DAY)} as text)`,
  processor: sql`p.name`,
};

/**
 * Returns the income by currency, by day or by name, sorted by that key: the sums of the orders that were paid in a
 * period, whatever their later state.
 */
export async function readIncome(
  { db }: Pick<Context, 'db'>,
  { from, to }: TimeRange,
  by: IncomeBy | 'total',
): Promise<Income> {
  const { rows } = await sql<{
    key: string;
    currency: Currency;
    orders: number;
    income: number;
    refunds: number;
    fees: number;
    quota: number;
  }>`select ${keys[by]} as key, o.currency, count(*) as orders, sum(o.order_amount) as income,
      sum(o.refunded_amount) as refunds, sum(o.fee_micros) as fees, sum(o.quota) as quota
    from payment_order o join processor p on p.id = o.processor_id
    where o.paid_time between ${from} and ${to}
    group by 1, 2 order by 1, 2`.execute(db.reports);
  return rows.map(({ key, currency, orders, income, refunds, fees, quota }) => ({
    key,
    currency,
    orders,
    income: toMajorUnits(income, currency),
    refunds: toMajorUnits(refunds, currency),
    fees: fees / MICROS,
    quota: toPoints(quota),
  }));
}

interface Sums {
  requests: number;
  charged: number;
  cost: number;
  costed: number;
}

const sums = sql`sum(requests) as requests, sum(quota) as charged, sum(cost) as cost, sum(costed_quota) as costed`;

/**
 * Lists days in order; groups and models by charge, highest first. Partial hours, and partial days of groups, count as
 * a whole.
 */
export async function readSales(ctx: Pick<Context, 'db' | 'clock'>, time: TimeRange, by: SalesBy): Promise<Sales> {
  if (by === 'group') {
    const groups = await readGroupTotals(ctx, time.from, time.to);
    return groups.map(({ group_symbol, requests, quota, cost, costed_quota }) =>
      present({ key: group_symbol, requests, charged: quota, cost, costed: costed_quota }),
    );
  }
  const key = by === 'day' ? sql`cast(hour - hour % ${sql.lit(DAY)} as text)` : sql`model`;
  const order = by === 'day' ? sql`min(hour)` : sql`charged desc`;
  const { rows } = await sql<Sums & { key: string }>`select ${key} as key, ${sums} from usage_hour
    where ${hoursWithin(time)} and requests > 0 group by 1 order by ${order}`.execute(ctx.db.reports);
  return rows.map(present);
}

export async function sumSales({ db }: Pick<Context, 'db'>, time: TimeRange): Promise<Sums> {
  const { rows } = await sql<Partial<Record<keyof Sums, number | null>>>`select ${sums} from usage_hour
    where ${hoursWithin(time)}`.execute(db.reports);
  const { requests, charged, cost, costed } = rows[0] ?? {};
  return { requests: requests ?? 0, charged: charged ?? 0, cost: cost ?? 0, costed: costed ?? 0 };
}

const hoursWithin = ({ from, to }: TimeRange) => sql`hour >= ${from - (from % HOUR)} and hour <= ${to}`;

const present = ({ key, requests, charged, cost, costed }: Sums & { key: string }): Sales[number] => ({
  key,
  requests,
  charged: toPoints(charged),
  cost: toPoints(cost),
  costed: toPoints(costed),
});

/** UTC seconds, both inclusive. */
export interface TimeRange {
  from: number;
  to: number;
}

export function toTimeRange(query: { start_timestamp: number; end_timestamp: number }): TimeRange {
  return { from: query.start_timestamp, to: query.end_timestamp };
}
