import { notices } from '@switchyard/contract/profile';
import type { Context } from '../context.ts';
import { tellOwner } from '../features/security-notices/security-notices.ts';

const PER_RUN = 500;

/** One mail when a balance falls below what its owner or the site has chosen; the next only after it was above again. */
export async function tellLowBalances(ctx: Context): Promise<void> {
  const rows = await ctx.db.reader
    .selectFrom('user')
    .innerJoin('user_account', 'user_account.user_id', 'user.id')
    .select(['user.id', 'user.notices', 'user.low_balance_told'])
    .select((eb) => eb('user_account.balance', '-', eb.ref('user_account.held')).as('available'))
    .where('user.status', '=', 'enabled')
    .where('user.deleted_time', 'is', null)
    .where('user.email_verified_time', 'is not', null)
    .execute();
  const changed = rows
    .map(({ id, available, low_balance_told, ...row }) => {
      const wanted = notices.parse(JSON.parse(row.notices));
      const limit = wanted.low_balance_below ?? ctx.settings.quotaRemindThreshold;
      return {
        id,
        available,
        wants: wanted.low_balance,
        told: low_balance_told === 1,
        low: available < limit,
      };
    })
    .filter(({ told, low }) => told !== low)
    .slice(0, PER_RUN);
  for (const { id, available, wants, low } of changed) {
    await ctx.db.writer
      .updateTable('user')
      .set({ low_balance_told: Number(low) })
      .where('id', '=', id)
      .execute();
    if (low && wants) await tellOwner(ctx, id, 'low-balance', lowBalance(ctx, available));
  }
}

function lowBalance({ settings, config }: Context, available: number): { balance: string; link: string } {
  const balance = settings.displayInCurrency
    ? `$${(available / settings.quotaPerUnit).toFixed(2)}`
    : String(available);
  return { balance, link: `${settings.serverAddress || config.publicUrl || ''}/panel/dashboard` };
}
