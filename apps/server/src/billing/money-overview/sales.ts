/** Charges and costs of calls. Partial hours, and partial days of groups, count as a whole. */

import type { moneyOverview } from '@switchyard/contract/billing/money-overview';
import { toPoints } from '@switchyard/contract/money';
import type { RouteInput, RouteResponse } from '@switchyard/contract/route';
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { readGroupTotals } from '../../usage/usage-records/usage-records.ts';

type Sales = RouteResponse<(typeof moneyOverview)['sales']>;
type By = RouteInput<(typeof moneyOverview)['sales']>['query']['by'];

const HOUR = 3600;
const DAY = 86_400;

interface Sums {
  requests: number;
  charged: number;
  cost: number;
  costed: number;
}

const sums = sql`sum(requests) as requests, sum(quota) as charged, sum(cost) as cost, sum(costed_quota) as costed`;

/** Lists days in order; groups and models by charge, highest first. */
export async function readSales(ctx: Pick<Context, 'db' | 'clock'>, time: TimeRange, by: By): Promise<Sales> {
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
