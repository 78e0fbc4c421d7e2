import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { tellUser } from '../alerts/alerts.ts';
import { formatPoints } from './format-points.ts';

const PER_RUN = 500;

/** Once when a balance falls below what its owner or the site has chosen; again only after it was above. */
export async function notifyLowBalances(ctx: Context): Promise<void> {
  for (const { id, available, low } of await findBalanceCrossings(ctx)) {
    await ctx.db.writer.transaction().execute(async (trx) => {
      await trx.updateTable('user').set({ low_balance_told: low }).where('id', '=', id).execute();
      if (low === 1) await tellUser(ctx, id, 'low-balance', { balance: formatPoints(ctx, available) }, trx);
    });
  }
}

/** Those whose balance has crossed its limit, in either direction, since they were last looked at. */
function findBalanceCrossings({ db, settings }: Context) {
  const available = sql<number>`user_account.balance - user_account.held`;
  const limit = sql`coalesce(cast(json_extract("user".notices, '$.low_balance_below') as bigint), ${settings.quotaRemindThreshold})`;
  const low = sql<number>`iif(${available} < ${limit}, 1, 0)`;
  return db.reader
    .selectFrom('user')
    .innerJoin('user_account', 'user_account.user_id', 'user.id')
    .select(['user.id', available.as('available'), low.as('low')])
    .where('user.status', '=', 'enabled')
    .where('user.deleted_time', 'is', null)
    .where('user.low_balance_told', '<>', low)
    .limit(PER_RUN)
    .execute();
}
