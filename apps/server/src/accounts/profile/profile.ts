/** Self-service for a user's own account. */
import { parseLanguage } from '@switchyard/contract/accounts/account';
import { getRightsOfRole } from '@switchyard/contract/accounts/permissions';
import {
  mailPreferences as noticesSchema,
  type Self,
  type session,
  type updateProfile as updateProfileSchema,
} from '@switchyard/contract/accounts/profile';
import type { z } from 'zod';
import type { Context } from '../../context.ts';
import { omitUndefinedFields } from '../../db/omit-undefined-fields.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError, notFound } from '../../platform/http/app-error.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { checkPasswordIsUncommon } from '../../platform/secrets/common-passwords.ts';
import { hashPassword } from '../../platform/secrets/password.ts';
import { consumeCode } from '../one-time-secrets/one-time-secrets.ts';
import { endAllSessions, endSession, listActiveSessions } from '../sessions/sessions.ts';
import { staffPermissions } from '../staff-roles/staff-roles.ts';
import { checkEmailIsFree, checkNameIsFree, presentAccount, requireUser } from '../users/users.ts';
import { checkPassword, readPasswordHash, wrongPassword } from './step-up.ts';

export async function readSelf(ctx: Context, userId: number): Promise<Self> {
  const row = await requireUser(ctx, userId);
  return {
    ...presentAccount(row),
    email_verified: row.email_verified_time !== null,
    has_password: row.has_password === 1,
    language: parseLanguage(row.language) ?? '',
    notices: noticesSchema.parse(JSON.parse(row.notices)),
    rights: getRightsOfRole(row.role, staffPermissions(row.permissions)),
    impersonation: null,
  };
}

/**
 * Updates the sent fields. A new password requires the current one, and ends all other sessions and pending secrets.
 * @throws AppError `wrong-password`, `already-exists`, `step-up-required` for a first password
 */
export async function updateProfile(
  ctx: Context,
  caller: Caller,
  { password, current_password, notices, ...fields }: z.output<typeof updateProfileSchema>,
): Promise<Self> {
  const replacedHash =
    password === undefined ? undefined : await checkMayReplacePassword(ctx, caller, current_password ?? '');
  if (password !== undefined) checkPasswordIsUncommon(password);
  const passwordHash = password === undefined ? undefined : await hashPassword(password, 'known');
  await ctx.db.writer.transaction().execute(async (trx) => {
    if (fields.username !== undefined) await checkNameIsFree(trx, fields.username, caller.userId);
    const { numUpdatedRows } = await trx
      .updateTable('user')
      .set({
        ...omitUndefinedFields(fields),
        ...omitUndefinedFields({
          password_hash: passwordHash,
          notices: notices === undefined ? undefined : JSON.stringify(notices),
        }),
        deleted_time: null,
      })
      .where('id', '=', caller.userId)
      // During the hashing, the account may have been deleted, or its password replaced because others know it.
      .where('deleted_time', 'is', null)
      .$if(replacedHash !== undefined, (query) => query.where('password_hash', '=', replacedHash ?? ''))
      .executeTakeFirst();
    if (replacedHash !== undefined && numUpdatedRows === 0n) throw wrongPassword('current_password');
  });
  if (passwordHash !== undefined) await endAllSessions(ctx, caller.userId, caller.sessionIdHash);
  await ctx.changes.publish({ topic: 'users', ids: [caller.userId] });
  return readSelf(ctx, caller.userId);
}

/** @returns the present hash, which the new one may replace; empty for a first password */
async function checkMayReplacePassword(ctx: Context, caller: Caller, current: string): Promise<string> {
  const hash = await readPasswordHash(ctx, caller);
  if (hash !== '') await checkPassword(hash, current, 'current_password');
  else if (!caller.steppedUp) throw new AppError('step-up-required', 'Confirm your identity first');
  return hash;
}

/**
 * Sets the address, which the mailed code verifies.
 * @throws AppError `wrong-code`, `already-exists` for an address that another account has verified
 */
export async function bindEmail(
  ctx: Context,
  call: { caller: Caller; deviceHash(): string },
  { email, code }: { email: string; code: string },
): Promise<{ before: string }> {
  const subject = email.toLowerCase();
  const scope = { purpose: 'mail-code', deviceHash: call.deviceHash(), subject } as const;
  if ((await consumeCode(ctx, scope, code)) === undefined)
    throw new AppError('wrong-code', 'This code is wrong or no longer valid');
  const { userId } = call.caller;
  return ctx.db.writer.transaction().execute(async (trx) => {
    await checkEmailIsFree(trx, email, userId);
    const { email: before } = await trx
      .selectFrom('user')
      .select('email')
      .where('id', '=', userId)
      .executeTakeFirstOrThrow();
    await trx
      .updateTable('user')
      .set({ email, email_verified_time: nowSeconds(ctx.clock) })
      .where('id', '=', userId)
      .execute();
    return { before };
  });
}

export async function listSessions(ctx: Context, caller: Caller): Promise<z.output<typeof session>[]> {
  const rows = await listActiveSessions(ctx, caller);
  return rows.map((row) => ({
    id: row.id_hash,
    created_time: row.created_time,
    last_seen_time: row.last_seen_time,
    address: row.address,
    device: row.device,
    method: row.method,
    current: row.id_hash === caller.sessionIdHash,
  }));
}

/** @throws AppError `not-found`, also for another user's session */
export async function endOwnSession(ctx: Context, caller: Caller, id: string): Promise<void> {
  const sessions = await listActiveSessions(ctx, caller);
  if (!sessions.some((row) => row.id_hash === id)) throw notFound('session');
  await endSession(ctx, id);
}
