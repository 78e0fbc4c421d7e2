/**
 * Applies the same change to several users. Each is changed and audited separately; a refused one does not stop the
 * others.
 */
import { setImmediate } from 'node:timers/promises';
import {
  type changeQuota as changeQuotaSchema,
  type EditResults,
  type User,
  type UserEdit,
  user,
} from '@switchyard/contract/accounts/users';
import type { UserId } from '@switchyard/contract/ids';
import type { z } from 'zod';
import type { Context } from '../../context.ts';
import { runIdempotently } from '../../idempotency/idempotency.ts';
import { audit } from '../../operations/audit/audit.ts';
import { AppError } from '../../platform/http/app-error.ts';
import type { Caller } from '../../platform/http/caller.ts';
import type { Call } from '../../platform/http/mount-routes.ts';
import { endAllSessions } from '../authentication/authentication.ts';
import { checkMayChange, checkSteppedUp } from './role-rules.ts';
import { getUserFrom, removeUser, requireUser, updateUser } from './users.ts';

/** @throws AppError `step-up-required` before anything is changed if one of them has a privileged role */
export async function editUsers(
  ctx: Context,
  call: Call<'users.write'>,
  ids: readonly UserId[],
  edit: UserEdit,
): Promise<EditResults> {
  const { n } = await ctx.db.writer
    .selectFrom('user')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('id', 'in', ids)
    .where('role', '<>', 'user')
    .executeTakeFirstOrThrow();
  if (n > 0) checkSteppedUp(call.caller);
  return editEach(ctx, ids, (id) => editUser(ctx, call, id, edit));
}

/** @param change its points are added to each balance, or deducted */
export async function changeBalances(
  ctx: Context,
  call: Call<'balances.write'>,
  ids: readonly UserId[],
  change: Parameters<typeof changeBalance>[3],
): Promise<EditResults> {
  const key = call.idempotencyKey ?? call.requestId;
  return editEach(ctx, ids, async (id) => {
    const { moved } = await changeBalance(ctx, { ...call, idempotencyKey: `${key}/${id}` }, id, change);
    if (moved) await audit(ctx, call, { action: 'user.quota', target: `user:${id}`, detail: change });
  });
}

async function editEach(
  ctx: Context,
  ids: readonly UserId[],
  work: (id: UserId) => Promise<void>,
): Promise<EditResults> {
  const results: EditResults = [];
  for (const id of new Set(ids)) {
    // Yields to other requests, since each user takes some milliseconds.
    await setImmediate();
    const user = await ctx.db.writer
      .selectFrom('user')
      .select('username')
      .where('id', '=', id)
      .where('deleted_time', 'is', null)
      .executeTakeFirst();
    const refusal = await catchRefusal(() => work(id));
    results.push({ id, username: user?.username ?? '', refusal });
  }
  return results;
}

/** Runs the work and returns its refusal, which is reported in the results; any other error fails the call. */
async function catchRefusal(work: () => Promise<void>): Promise<EditResults[number]['refusal']> {
  try {
    await work();
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { code: error.code, message: error.message };
  }
}

async function editUser(ctx: Context, call: Call<'users.write'>, id: UserId, edit: UserEdit): Promise<void> {
  const { caller } = call;
  const target = `user:${id}`;
  switch (edit.do) {
    case 'enable':
    case 'disable':
      checkNotOneself(caller.userId, id);
      await updateUser(ctx, caller, { id, status: edit.do === 'enable' ? 'enabled' : 'disabled' });
      return audit(ctx, call, { action: `user.${edit.do}`, target });
    case 'set-group': {
      const before = await requireUser(ctx, id);
      await updateUser(ctx, caller, { id, group: edit.group });
      const changes = { group: { before: before.group_symbol, after: edit.group } };
      return audit(ctx, call, { action: 'user.update', target, detail: { changes } });
    }
    case 'sign-out':
      checkMayChange(caller, await requireUser(ctx, id));
      await endAllSessions(ctx, id);
      return audit(ctx, call, { action: 'user.end-sessions', target });
    case 'delete':
      checkNotOneself(caller.userId, id);
      await removeUser(ctx, caller, id);
      return audit(ctx, call, { action: 'user.delete', target });
  }
}

/**
 * Rejects a bulk edit that includes the caller's own account.
 * @throws AppError `not-allowed`
 */
function checkNotOneself(callerId: UserId, id: UserId): void {
  if (id === callerId) throw new AppError('not-allowed', 'You cannot include your own account in a bulk edit');
}

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
