import type { Context } from '../../context.ts';
import { verifyLedger } from '../../ledger/ledger.ts';
import { tellSite } from '../alerts/alerts.ts';
import { verifyAuditChain } from '../audit/audit.ts';

const NAMES_MAX = 20;

/**
 * Recomputes the ledger. A user with a discrepancy cannot spend until an administrator has acknowledged it; nothing
 * is repaired.
 */
export async function checkLedger(ctx: Context): Promise<void> {
  const { alarms, problems } = await ctx.db.readLongRunning(verifyLedger);
  const difference = alarms.reduce((sum, alarm) => sum + Math.abs(alarm.difference), 0);
  ctx.metrics.booksDifference.set([], difference);
  ctx.metrics.booksProblems.set([], problems.length);
  if (problems.length === 0) return;
  const raised = await ctx.ledger.transaction(async (trx, moves) => {
    const users = [...new Set((await moves.raiseDiscrepancies(alarms)).map(({ userId }) => userId))];
    if (users.length === 0) return users;
    const named = await trx
      .selectFrom('user')
      .select('username')
      .where('id', 'in', users.slice(0, NAMES_MAX))
      .execute();
    const usernames = named.map(({ username }) => username);
    await tellSite(ctx, 'books-differ', { usernames: usernames.join(', ') }, trx);
    return users;
  });
  if (raised.length > 0)
    ctx.log.error(
      { problems, users: raised },
      'the ledger check found discrepancies; these users are locked until an administrator acknowledges them',
    );
}

/** Verifies the audit log; nothing is repaired. @throws Error when it was modified outside of this server */
export async function checkAuditLog(ctx: Context): Promise<void> {
  const { entries, brokenId } = await verifyAuditChain(ctx);
  if (brokenId === null) return;
  ctx.log.error({ entries, broken_id: brokenId }, 'the audit log was modified outside of this server');
  throw new Error(`Entry ${brokenId} of the audit log was modified outside of this server`);
}
