import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { tellOwner } from '../features/security-notices/security-notices.ts';
import { mailIsSetUp } from '../notify/mail.ts';
import { publicAddress } from '../platform/public-address.ts';

const PER_RUN = 500;

/** One mail when a balance falls below what its owner or the site has chosen; the next only after it was above again. */
export async function tellLowBalances(ctx: Context): Promise<void> {
  if (!mailIsSetUp(ctx)) return;
  for (const { id, available, low, wanted } of await findChanged(ctx)) {
    await ctx.db.writer.updateTable('user').set({ low_balance_told: low }).where('id', '=', id).execute();
    if (low === 1 && wanted === 1) await tellOwner(ctx, id, 'low-balance', lowBalance(ctx, available));
  }
}

/** Those whose balance has crossed its limit, in either direction, since they were last looked at. */
function findChanged({ db, settings }: Context) {
  const available = sql<number>`user_account.balance - user_account.held`;
  const limit = sql`coalesce(json_extract("user".notices, '$.low_balance_below'), ${settings.quotaRemindThreshold})`;
  const low = sql<number>`${available} < ${limit}`;
  return db.reader
    .selectFrom('user')
    .innerJoin('user_account', 'user_account.user_id', 'user.id')
    .select(['user.id', available.as('available'), low.as('low')])
    .select(sql<number>`coalesce(json_extract("user".notices, '$.low_balance'), 1)`.as('wanted'))
    .where('user.status', '=', 'enabled')
    .where('user.deleted_time', 'is', null)
    .where('user.email_verified_time', 'is not', null)
    .where('user.low_balance_told', '<>', low)
    .limit(PER_RUN)
    .execute();
}

function lowBalance(ctx: Context, available: number): { balance: string; link: string } {
  const { displayInCurrency, quotaPerUnit } = ctx.settings;
  const balance = displayInCurrency ? `$${(available / quotaPerUnit).toFixed(2)}` : String(available);
  return { balance, link: `${publicAddress(ctx)}/panel/dashboard` };
}
