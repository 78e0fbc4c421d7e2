/** Income by currency: sums of the orders that were paid in a period, whatever their later state. */

import type { moneyOverview } from '@switchyard/contract/billing/money-overview';
import { type Currency, MICROS, toMajorUnits } from '@switchyard/contract/billing/top-up-cost';
import { toPoints } from '@switchyard/contract/money';
import type { RouteInput, RouteResponse } from '@switchyard/contract/route';
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import type { TimeRange } from './sales.ts';

type Income = RouteResponse<(typeof moneyOverview)['income']>;
type By = RouteInput<(typeof moneyOverview)['income']>['query']['by'];

const DAY = 86_400;

const keys = {
  total: sql`''`,
  day: sql`cast(o.paid_time - o.paid_time % ${sql.lit(DAY)} as text)`,
  processor: sql`p.name`,
};

/** Returns the income by day or by name, sorted by that key. */
export async function readIncome(
  { db }: Pick<Context, 'db'>,
  { from, to }: TimeRange,
  by: By | 'total',
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
