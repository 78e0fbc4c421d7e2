import type { Context } from '../context.ts';
import { verifyAuditChain } from '../features/audit/audit.ts';

/** Recomputes the audit log, and says so when somebody else wrote in it; nothing is repaired. */
export async function checkAuditLog(ctx: Context): Promise<void> {
  const { entries, brokenId } = await verifyAuditChain(ctx);
  if (brokenId !== null)
    ctx.log.error({ entries, broken_id: brokenId }, 'the audit log was changed outside of this server');
}
