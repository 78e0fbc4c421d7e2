/** Current figures of the whole installation. */

import { type Currency, toMajorUnits } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import { toPoints } from '@switchyard/contract/money';
import type { RouteResponse } from '@switchyard/contract/route';
import type { analytics } from '@switchyard/contract/usage/analytics';
import { sql } from 'kysely';
import type { Context } from '../../context.ts';

type Statistics = RouteResponse<(typeof analytics)['statistics']>;
type StatisticsContext = Pick<Context, 'db'>;

/** @param seesMoney whether the recharge is included */
export async function readStatistics(ctx: StatisticsContext, seesMoney: boolean): Promise<Statistics> {
  const [users, channels, accounts, recharge] = await Promise.all([
    countUsers(ctx),
    countChannels(ctx),
    sumAccounts(ctx),
    seesMoney ? sumRecharge(ctx) : null,
  ]);
  return { users, channels, ...accounts, recharge };
}

async function countUsers({ db }: StatisticsContext): Promise<Statistics['users']> {
  const { rows } = await sql<Statistics['users']>`select count(*) as total,
      count(inviter_id) as invited, coalesce(sum(status = 'disabled'), 0) as disabled
    from "user" where deleted_time is null`.execute(db.reports);
  return rows[0] ?? { total: 0, invited: 0, disabled: 0 };
}

async function countChannels({ db }: StatisticsContext): Promise<Statistics['channels']> {
  const { rows } = await sql<Statistics['channels']>`select coalesce(sum(status = 'enabled'), 0) as enabled,
      coalesce(sum(status = 'disabled'), 0) as disabled,
      coalesce(sum(status = 'auto-disabled'), 0) as auto_disabled
    from channel where deleted_time is null`.execute(db.reports);
  return rows[0] ?? { enabled: 0, disabled: 0, auto_disabled: 0 };
}

/** Returns the sums over accounts that aren't deleted. */
async function sumAccounts({ db }: StatisticsContext): Promise<Pick<Statistics, 'balance' | 'used'>> {
  const { rows } = await sql<{ balance: number; used: number }>`select coalesce(sum(a.balance), 0) as balance,
      coalesce(sum(a.used), 0) as used
    from user_account a join "user" u on u.id = a.user_id where u.deleted_time is null`.execute(db.reports);
  return { balance: toPoints(rows[0]?.balance ?? 0), used: toPoints(rows[0]?.used ?? 0) };
}

/** Returns the paid orders by currency, and the redeemed codes. */
async function sumRecharge({ db }: StatisticsContext): Promise<NonNullable<Statistics['recharge']>> {
  const [codes, orders] = await Promise.all([
    sql<{ codes: number; quota: number }>`select count(*) as codes, coalesce(sum(b.quota), 0) as quota
      from redemption_code c join code_batch b on b.id = c.batch_id where c.status = 'used'`.execute(db.reports),
    sql<{ currency: Currency; orders: number; amount: number; quota: number }>`select currency,
        count(*) as orders, sum(order_amount) as amount, sum(quota) as quota
      from payment_order where paid_time > 0 group by currency order by currency`.execute(db.reports),
  ]);
  return {
    codes: codes.rows[0]?.codes ?? 0,
    code_quota: toPoints(codes.rows[0]?.quota ?? 0),
    orders: orders.rows.map(({ currency, amount, quota, ...order }) => ({
      ...order,
      currency,
      amount: toMajorUnits(amount, currency),
      quota: toPoints(quota),
    })),
  };
}
