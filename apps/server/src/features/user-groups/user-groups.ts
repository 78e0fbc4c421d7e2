/** Groups decide which channels a user reaches and multiply the prices. */
import type { Context } from '../../context.ts';
import type { Caller } from '../../platform/caller.ts';

/** Enabled, and public or the caller's own. */
export async function canUseGroup(ctx: Context, caller: Caller, symbol: string): Promise<boolean> {
  const row = await ctx.db.writer
    .selectFrom('user_group')
    .select('id')
    .where('symbol', '=', symbol)
    .where('enable', '=', 1)
    .where((eb) => eb.or([eb('public', '=', 1), eb('symbol', '=', caller.groupSymbol)]))
    .executeTakeFirst();
  return row !== undefined;
}
