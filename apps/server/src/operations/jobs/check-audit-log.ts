import type { Context } from '../../context.ts';
import { verifyAuditChain } from '../audit/audit.ts';

/** Recomputes the audit log; nothing is repaired. @throws Error when somebody else wrote in it */
export async function checkAuditLog(ctx: Context): Promise<void> {
  const { entries, brokenId } = await verifyAuditChain(ctx);
  if (brokenId === null) return;
  ctx.log.error({ entries, broken_id: brokenId }, 'the audit log was modified outside of this server');
  throw new Error(`Entry ${brokenId} of the audit log was modified outside of this server`);
}
