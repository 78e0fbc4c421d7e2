/** Audit log of who did what to what. Append-only; details never hold a secret. */
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { appendEntry, type ChainState, walkChain } from './chain.ts';

export { appendEntry, walkChain } from './chain.ts';
export { changesBetween } from './changes-between.ts';

interface Entry {
  /** `feature.verb` */
  action: string;
  /** `user:7` */
  target: string;
  detail?: Readonly<Record<string, unknown>>;
}

export async function audit(
  ctx: Context,
  call: {
    caller: (Pick<Caller, 'userId'> & Partial<Pick<Caller, 'impersonator'>>) | undefined;
    address: string;
    requestId: string;
  },
  entry: Entry,
): Promise<void> {
  const impersonator = call.caller?.impersonator;
  const by = impersonator && { id: impersonator.userId, username: impersonator.username };
  await ctx.db.writer.transaction().execute((trx) =>
    appendEntry(trx, ctx.vault, {
      created_at: nowSeconds(ctx.clock),
      user_id: call.caller?.userId ?? null,
      action: entry.action,
      target: entry.target,
      detail: JSON.stringify({ ...entry.detail, ...(by === undefined ? {} : { impersonator: by }) }),
      address: call.address,
      request_id: call.requestId,
    }),
  );
}

/** Recomputes the whole log. */
export function verifyAuditChain(ctx: Context): Promise<ChainState> {
  return walkChain(ctx.db.reader, ctx.vault);
}
