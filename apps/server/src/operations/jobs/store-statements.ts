import { storeLastMonth } from '../../billing/statements/statements.ts';
import type { Context } from '../../context.ts';

/** Stores last month's statements if the settings ask for them. */
export async function storeStatements(ctx: Context): Promise<void> {
  if (ctx.settings.monthlyStatements) await storeLastMonth(ctx);
}
