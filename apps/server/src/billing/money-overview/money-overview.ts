/** Overview of income, costs and liabilities: sums in SQL over the tables that hold them. */
import type { moneyOverview } from '@switchyard/contract/billing/money-overview';
import { type Points, toPoints } from '@switchyard/contract/money';
import type { RouteResponse } from '@switchyard/contract/route';
import { type RawBuilder, sql } from 'kysely';
import type { Context } from '../../context.ts';
import type { Database } from '../../db/open-database.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { readIncome, sumSales, type TimeRange } from './sales-and-income.ts';

type Overview = RouteResponse<(typeof moneyOverview)['get']>;

export async function readMoneyOverview(ctx: Pick<Context, 'db' | 'clock'>, time: TimeRange): Promise<Overview> {
  const [income, codes, gifts, adjustments, sales, balances] = await Promise.all([
    readIncome(ctx, time, 'total'),
    readCodeTotals(ctx, time),
    sumEntries(ctx, 'gift', time),
    sumEntries(ctx, 'adjust', time),
    sumSales(ctx, time),
    readBalances(ctx),
  ]);
  return {
    income: income.map(({ key: _none, ...sums }) => sums),
    codes,
    gifts: toPoints(gifts),
    adjustments: toPoints(adjustments),
    charged: toPoints(sales.charged),
    cost: toPoints(sales.cost),
    costed: toPoints(sales.costed),
    liabilities: toPoints(balances.liabilities),
    debts: toPoints(balances.debts),
  };
}

/** Sums entries of one kind, which are few and indexed. Entries of the operator's own account do not count. */
async function sumEntries(
  { db }: Pick<Context, 'db'>,
  kind: 'gift' | 'adjust',
  { from, to }: TimeRange,
): Promise<number> {
  const { rows } = await sql<{ sum: number }>`select coalesce(sum(user_amount), 0) as sum from ledger_entry
    where kind = ${kind} and created_at between ${from} and ${to}
      and user_id not in (select id from "user" where role = 'root')`.execute(db.reports);
  return rows[0]?.sum ?? 0;
}

/** Sums redeemed codes, and outstanding ones, which can still be redeemed. */
async function readCodeTotals({ db, clock }: Pick<Context, 'db' | 'clock'>, { from, to }: TimeRange) {
  const [redeemed, outstanding] = await Promise.all([
    sumCodes(db, sql`c.status = 'used' and c.redeemed_time between ${from} and ${to}`),
    sumCodes(
      db,
      sql`c.status = 'enabled' and b.enabled = 1 and b.deleted_time is null
        and (b.expires_time = 0 or b.expires_time > ${nowSeconds(clock)})`,
    ),
  ]);
  return {
    redeemed: redeemed.codes,
    quota: redeemed.quota,
    outstanding: outstanding.codes,
    outstanding_quota: outstanding.quota,
  };
}

async function sumCodes(db: Database, which: RawBuilder<unknown>): Promise<{ codes: number; quota: Points }> {
  const { rows } = await sql<{ codes: number; quota: number }>`
    select count(*) as codes, ${cappedSum(sql`b.quota`)} as quota
    from redemption_code c join code_batch b on b.id = c.batch_id where ${which}`.execute(db.reports);
  const { codes = 0, quota = 0 } = rows[0] ?? {};
  return { codes, quota: toPoints(quota) };
}

/** Sums balances without those of the operator's own account and of deleted users, which are not liabilities. */
async function readBalances({ db }: Pick<Context, 'db'>): Promise<{ liabilities: number; debts: number }> {
  const { rows } = await sql<{ liabilities: number; debts: number }>`
    select ${cappedSum(sql`max(a.balance, 0)`)} as liabilities, ${cappedSum(sql`-min(a.balance, 0)`)} as debts
    from user_account a join "user" u on u.id = a.user_id
    where u.role <> 'root' and u.deleted_time is null`.execute(db.reports);
  return rows[0] ?? { liabilities: 0, debts: 0 };
}

/** Caps a sum at the largest safe integer, which the sum of unredeemed codes may exceed. */
function cappedSum(amount: RawBuilder<unknown>): RawBuilder<number> {
  const sum = sql`coalesce(sum(${amount} * 1.0), 0)`;
  const most = sql.lit(Number.MAX_SAFE_INTEGER);
  return sql`cast(case when ${sum} > ${most} then ${most} else ${sum} end as bigint)`;
}
