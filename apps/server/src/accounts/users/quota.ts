/** Adjusts a balance on behalf of an administrator. */
import { type changeQuota as changeQuotaSchema, type User, user } from '@switchyard/contract/accounts/users';
import type { z } from 'zod';
import type { Context } from '../../context.ts';
import { runIdempotently } from '../../idempotency/idempotency.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { checkMayChange } from './role-rules.ts';
import { getUserFrom, requireUser } from './users.ts';

type ChangeBalance = z.output<typeof changeQuotaSchema>;
interface BalanceChangeCall {
  caller: Caller;
  requestId: string;
  address: string;
  idempotencyKey: string | undefined;
}

/**
 * Adds points, or deducts them. A repetition with the same `Idempotency-Key` moves nothing and returns the same.
 * @returns the user as it was then, and whether this call moved anything
 * @throws AppError `insufficient-balance` when the deduction exceeds the available points, `conflict` when the key
 * was used for another change
 */
export async function changeBalance(
  ctx: Context,
  call: BalanceChangeCall,
  userId: number,
  input: ChangeBalance,
): Promise<{ user: User; moved: boolean }> {
  checkMayChange(call.caller, await requireUser(ctx, userId));
  const idempotent = { what: `change the balance of user ${userId}`, input, answer: user };
  const { answer, repeated } = await runIdempotently(ctx, call, idempotent, async (trx, moves) => {
    await moves.post({
      kind: 'adjust',
      ref: `${call.caller.userId}:${call.idempotencyKey ?? call.requestId}`,
      userId,
      amount: input.quota,
      note: input.remark,
      address: call.address,
    });
    return getUserFrom(trx, userId);
  });
  return { user: answer, moved: !repeated };
}
