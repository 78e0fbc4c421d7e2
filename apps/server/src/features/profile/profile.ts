/** What people do with their own account. */

import { rightsOfRole } from '@switchyard/contract/permissions';
import type { Self, session, updateProfile as updateProfileSchema } from '@switchyard/contract/profile';
import type { z } from 'zod';
import type { Context } from '../../context.ts';
import { defined } from '../../db/defined.ts';
import { AppError, fieldError, notFound } from '../../platform/app-error.ts';
import type { Caller } from '../../platform/caller.ts';
import { checkIsUncommon } from '../../platform/common-passwords.ts';
import { hashPassword, verifyPassword } from '../../platform/password.ts';
import { endSession, endSessionsOf, listSessionsOf, stepUpSession } from '../sessions/sessions.ts';
import { staffPermissions } from '../staff-roles/staff-roles.ts';
import { checkNameIsFree, findUser, presentAccount } from '../users/users.ts';

export async function readSelf(ctx: Context, userId: number): Promise<Self> {
  const row = await findUser(ctx, userId);
  return {
    ...presentAccount(row),
    rights: rightsOfRole(row.role, staffPermissions(row.permissions)),
  };
}

/**
 * Only what is sent changes. A new password needs the present one and ends all other sessions.
 * @throws AppError `wrong-password`, `already-exists`
 */
export async function updateProfile(
  ctx: Context,
  caller: Caller,
  { password, current_password, ...names }: z.output<typeof updateProfileSchema>,
): Promise<Self> {
  if (password !== undefined) await checkPassword(ctx, caller, current_password ?? '', 'current_password');
  if (password !== undefined) checkIsUncommon(password);
  const passwordHash = password === undefined ? undefined : await hashPassword(password);
  await ctx.db.writer.transaction().execute(async (trx) => {
    if (names.username !== undefined) await checkNameIsFree(trx, names.username, caller.userId);
    await trx
      .updateTable('user')
      .set({ ...defined(names), ...defined({ password_hash: passwordHash }), deleted_time: null })
      .where('id', '=', caller.userId)
      .execute();
  });
  if (passwordHash !== undefined) await endSessionsOf(ctx, caller.userId, caller.sessionIdHash);
  await ctx.changes.publish({ topic: 'users', ids: [caller.userId] });
  return readSelf(ctx, caller.userId);
}

/** @throws AppError `wrong-password`, or `not-allowed` for calls that belong to no session */
export async function stepUp(ctx: Context, caller: Caller, password: string): Promise<void> {
  if (caller.sessionIdHash === undefined)
    throw new AppError('not-allowed', 'Sign in with your password to do this');
  await checkPassword(ctx, caller, password, 'password');
  await stepUpSession(ctx, caller.sessionIdHash);
}

export async function listSessions(ctx: Context, caller: Caller): Promise<z.output<typeof session>[]> {
  const rows = await listSessionsOf(ctx, caller);
  return rows.map((row) => ({
    id: row.id_hash,
    created_time: row.created_time,
    last_seen_time: row.last_seen_time,
    address: row.address,
    device: row.device,
    current: row.id_hash === caller.sessionIdHash,
  }));
}

/** @throws AppError `not-found` for a session of somebody else too */
export async function endOwnSession(ctx: Context, caller: Caller, id: string): Promise<void> {
  const sessions = await listSessionsOf(ctx, caller);
  if (!sessions.some((row) => row.id_hash === id)) throw notFound('session');
  await endSession(ctx, id);
}

async function checkPassword(ctx: Context, caller: Caller, password: string, field: string): Promise<void> {
  const { password_hash } = await ctx.db.writer
    .selectFrom('user')
    .select('password_hash')
    .where('id', '=', caller.userId)
    .executeTakeFirstOrThrow();
  if (await verifyPassword(password, password_hash)) return;
  throw fieldError(field, 'wrong-password', 'The password is not right', 'wrong-password');
}
