import { storeLastMonth } from '../../billing/statements/statements.ts';
import type { Context } from '../../context.ts';

/** Last month's, where the operator wants them. */
export async function storeStatements(ctx: Context): Promise<void> {
  if (ctx.settings.monthlyStatements) await storeLastMonth(ctx);
}
