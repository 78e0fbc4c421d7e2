/** Redeems a code for points, once and in a single transaction. */
import { getRightsOfRole } from '@switchyard/contract/accounts/permissions';
import { type Points, points, toPoints } from '@switchyard/contract/money';
import { type Kysely, sql, type Transaction } from 'kysely';
import { staffPermissions } from '../../accounts/staff-roles/staff-roles.ts';
import type { Context } from '../../context.ts';
import { runIdempotently } from '../../idempotency/idempotency.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError } from '../../platform/http/app-error.ts';
import type { Caller } from '../../platform/http/caller.ts';
import type { Schema } from '../../schema.ts';
import { notifyPromotion, type Promotion, promoteUser } from '../user-group-upgrades/user-group-upgrades.ts';
import { hashCode } from './code-text-and-hash.ts';

export interface RedeemCall {
  caller: Pick<Caller, 'userId'>;
  requestId: string;
  /** Empty if unknown. */
  address: string;
  idempotencyKey: string | undefined;
}

/** Result of a redemption. */
export interface Redemption {
  codeId: number;
  batchId: number;
  quota: Points;
  /** New group of the user; empty if it did not change. */
  group: string;
}

/**
 * Credits the code's points to the caller. A repetition with the same `Idempotency-Key` credits nothing more and
 * returns the same.
 * @returns the points, and what was done now; undefined for a repetition
 * @throws AppError `code-unknown`, `code-used`, `code-disabled`, `code-expired`, `code-limit`, `code-not-for-you`,
 * `not-allowed`; nothing has changed then
 */
export async function redeemCode(
  ctx: Context,
  call: RedeemCall,
  typed: string,
): Promise<{ quota: Points; done: Redemption | undefined }> {
  const codeHash = hashCode(ctx, typed);
  const found = await findCode(ctx.db.writer, codeHash);
  // Refused before the ledger's transaction: wrong guesses, and used codes that are not a repetition, must not occupy
  // it.
  if (found.status === 'used' && call.idempotencyKey === undefined) throw codeUsedError(found, call.caller.userId);
  const operation = { what: 'redeem a code', input: codeHash, answer: points };
  let done: Redemption | undefined;
  let promotion: Promotion | undefined;
  const { answer: quota, repeated } = await runIdempotently(ctx, call, operation, async (trx, moves) => {
    const { userId } = call.caller;
    const code = await findCode(trx, codeHash);
    const user = await findRedeemer(trx, userId);
    const { group_symbol } = user;
    rejectCodeReader(user, code);
    await checkMayRedeem(ctx, trx, code, { userId, group: group_symbol });
    await markUsed(ctx, trx, code.id, userId);
    await moves.post({
      kind: 'top-up',
      ref: `redeem:${code.id}`,
      userId,
      amount: code.quota,
      note: `Redemption code ${code.hint}`,
      address: call.address,
    });
    const group = await grantGroup(trx, userId, group_symbol, code.grant_group);
    promotion = await promoteUser(ctx, trx, userId);
    done = { codeId: code.id, batchId: code.batch_id, quota: toPoints(code.quota), group };
    return done.quota;
  });
  // The user's new group was not published if the first transaction failed after its commit.
  if (repeated || (done !== undefined && done.group !== ''))
    await ctx.changes.publish({ topic: 'users', ids: [call.caller.userId] });
  if (promotion !== undefined) await notifyPromotion(ctx, promotion);
  return { quota, done };
}

/** @throws AppError `code-unknown` */
async function findCode(db: Kysely<Schema>, codeHash: string) {
  const code = await db
    .selectFrom('redemption_code')
    .innerJoin('code_batch', 'code_batch.id', 'redemption_code.batch_id')
    .select([
      'redemption_code.id',
      'batch_id',
      'hint',
      'status',
      'redeemed_by',
      'redeemed_time',
      'quota',
      'expires_time',
      'per_user',
      'for_group',
      'grant_group',
      'enabled',
      'created_by',
    ])
    .where('code_hash', '=', codeHash)
    .executeTakeFirst();
  if (code === undefined) throw new AppError('code-unknown', 'There is no such code. Check what you typed.');
  return code;
}

function findRedeemer(trx: Transaction<Schema>, userId: number) {
  return trx
    .selectFrom('user')
    .leftJoin('staff_role', 'staff_role.id', 'user.staff_role_id')
    .select(['user.id', 'user.role', 'user.group_symbol', 'staff_role.permissions'])
    .where('user.id', '=', userId)
    .executeTakeFirstOrThrow();
}

/**
 * Checks that the redeemer did not create the code and has no right to read codes, so that staff can't credit or
 * promote themselves. Root can change its own balance anyway.
 * @throws AppError `not-allowed`
 */
function rejectCodeReader(
  { id, role, permissions }: Awaited<ReturnType<typeof findRedeemer>>,
  { created_by }: { created_by: number },
): void {
  if (role === 'root') return;
  if (created_by === id || getRightsOfRole(role, staffPermissions(permissions)).includes('codes.write'))
    throw new AppError('not-allowed', 'You manage redemption codes and cannot redeem them');
}

const ASK_GIVER = 'Ask the person who gave it to you.';

/** @throws AppError */
async function checkMayRedeem(
  ctx: Context,
  trx: Transaction<Schema>,
  code: Awaited<ReturnType<typeof findCode>>,
  user: { userId: number; group: string },
): Promise<void> {
  if (code.status === 'used') throw codeUsedError(code, user.userId);
  if (code.status === 'disabled' || code.enabled === 0)
    throw new AppError('code-disabled', `This code is disabled. ${ASK_GIVER}`);
  if (code.expires_time !== 0 && code.expires_time <= nowSeconds(ctx.clock)) {
    const end = new Date(code.expires_time * 1000).toISOString();
    throw new AppError('code-expired', `This code expired at ${end}. ${ASK_GIVER}`);
  }
  if (code.for_group !== '' && code.for_group !== user.group)
    throw new AppError('code-not-for-you', `This code is for another group. ${ASK_GIVER}`);
  if (code.per_user === 0) return;
  const { redeemed } = await trx
    .selectFrom('redemption_code')
    .select(sql<number>`count(*)`.as('redeemed'))
    .where('redeemed_by', '=', user.userId)
    .where('batch_id', '=', code.batch_id)
    .executeTakeFirstOrThrow();
  if (redeemed >= code.per_user)
    throw new AppError(
      'code-limit',
      `You have reached the limit of ${code.per_user} codes of this batch per user. Another user can still redeem this code.`,
    );
}

/** Marks a code as used; of concurrent transactions only one succeeds. */
async function markUsed(ctx: Context, trx: Transaction<Schema>, id: number, userId: number): Promise<void> {
  const marked = await trx
    .updateTable('redemption_code')
    .set({ status: 'used', redeemed_time: nowSeconds(ctx.clock), redeemed_by: userId })
    .where('id', '=', id)
    .where('status', '=', 'enabled')
    .returning('id')
    .executeTakeFirst();
  if (marked === undefined) throw new AppError('code-used', 'This code has just been redeemed.');
}

/**
 * Moves the user to the granted group, unless it is gone or disabled. @returns the user's new group; empty when it
 * stays
 */
async function grantGroup(trx: Transaction<Schema>, userId: number, present: string, granted: string): Promise<string> {
  if (granted === '' || granted === present) return '';
  const changed = await trx
    .updateTable('user')
    .set({ group_symbol: granted })
    .where('id', '=', userId)
    .where((eb) =>
      eb.exists(eb.selectFrom('user_group').select('id').where('symbol', '=', granted).where('enable', '=', 1)),
    )
    .returning('id')
    .executeTakeFirst();
  return changed === undefined ? '' : granted;
}

/** Tells a caller nothing about another account that has redeemed the code. */
function codeUsedError(code: Awaited<ReturnType<typeof findCode>>, userId: number): AppError {
  const message =
    code.redeemed_by === userId
      ? `You redeemed this code at ${new Date(code.redeemed_time * 1000).toISOString()}.`
      : 'Another account has redeemed this code.';
  return new AppError('code-used', message);
}
