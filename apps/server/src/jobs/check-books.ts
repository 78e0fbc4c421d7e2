import type { Context } from '../context.ts';
import { verifyLedger } from '../ledger/ledger.ts';

/**
 * Recomputes the ledger. Whoever's books do not add up spends nothing until an administrator has acknowledged it;
 * nothing is repaired.
 */
export async function checkBooks(ctx: Context): Promise<void> {
  const { alarms, problems } = await verifyLedger(ctx.db.reader);
  if (problems.length === 0) return;
  const raised = await ctx.ledger.transaction((_trx, moves) => moves.raiseAlarms(alarms));
  if (raised.length > 0)
    ctx.log.error(
      { problems, users: [...new Set(raised.map(({ userId }) => userId))] },
      'the books do not add up; these users are stopped until an administrator acknowledges it',
    );
}
