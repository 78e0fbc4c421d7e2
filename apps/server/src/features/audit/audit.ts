/** Who did what to what. Append-only; details never hold a secret. */
import type { Context } from '../../context.ts';
import type { Caller } from '../../platform/caller.ts';
import { nowSeconds } from '../../platform/clock.ts';

interface Entry {
  /** `feature.verb` */
  action: string;
  /** `user:7` */
  target: string;
  detail?: Readonly<Record<string, unknown>>;
}

export async function audit(
  ctx: Context,
  call: { caller: Caller | undefined; address: string; requestId: string },
  entry: Entry,
): Promise<void> {
  await ctx.db.writer
    .insertInto('audit_entry')
    .values({
      created_at: nowSeconds(ctx.clock),
      user_id: call.caller?.userId ?? null,
      action: entry.action,
      target: entry.target,
      detail: JSON.stringify(entry.detail ?? {}),
      address: call.address,
      request_id: call.requestId,
    })
    .execute();
}
