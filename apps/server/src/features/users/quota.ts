/** An administrator's correction of a balance. */
import type { changeQuota as changeQuotaSchema, User } from '@switchyard/contract/users';
import type { z } from 'zod';
import type { Context } from '../../context.ts';
import { AppError } from '../../platform/app-error.ts';
import type { Caller } from '../../platform/caller.ts';
import { newRequestId } from '../../platform/request-id.ts';
import { checkMayChange } from './role-rules.ts';
import { findUser, getUser } from './users.ts';

type ChangeQuota = z.output<typeof changeQuotaSchema>;
interface QuotaCall {
  caller: Caller;
  address: string;
  idempotencyKey: string | undefined;
}

/**
 * Adds points, or takes them. A repetition with the same `Idempotency-Key` moves nothing and answers the same.
 * @returns the user as it then is, and whether this call moved anything
 * @throws AppError `insufficient-balance` when more would be taken than can be spent
 */
export async function changeQuota(
  ctx: Context,
  call: QuotaCall,
  userId: number,
  { quota, remark }: ChangeQuota,
): Promise<{ user: User; moved: boolean }> {
  checkMayChange(call.caller, await findUser(ctx, userId));
  const ref = `${call.caller.userId}:${call.idempotencyKey ?? newRequestId()}`;
  const moved = await move(ctx, { ref, userId, amount: quota, note: remark, address: call.address });
  return { user: await getUser(ctx, userId), moved };
}

async function move(
  ctx: Context,
  movement: { ref: string; userId: number; amount: number; note: string; address: string },
): Promise<boolean> {
  try {
    await ctx.ledger.transaction((_trx, moves) => moves.move({ kind: 'adjust', ...movement }));
    return true;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'conflict') throw error;
    const same = await ctx.db.writer
      .selectFrom('ledger_entry')
      .select('ref')
      .where('kind', '=', 'adjust')
      .where('ref', '=', movement.ref)
      .where('user_id', '=', movement.userId)
      .where('user_amount', '=', movement.amount)
      .executeTakeFirst();
    if (same === undefined)
      throw new AppError('conflict', 'This Idempotency-Key was used for another change');
    return false;
  }
}
