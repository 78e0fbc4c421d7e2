/** Self-service for a user's own account. */
import { parseLanguage } from '@switchyard/contract/accounts/account-fields';
import { getRightsOfRole } from '@switchyard/contract/accounts/permissions';
import {
  mailPreferences as noticesSchema,
  type Self,
  type session,
  type updateProfile as updateProfileSchema,
} from '@switchyard/contract/accounts/profile';
import type { Transaction } from 'kysely';
import type { z } from 'zod';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError, fieldError, notFound, stepUpRequired } from '../../platform/http/app-error.ts';
import { type Caller, hasAccess } from '../../platform/http/caller.ts';
import { omitUndefinedFields, pickFields } from '../../platform/object-fields.ts';
import { checkPasswordIsUncommon, hashPassword } from '../../platform/secrets/password-hashing.ts';
import type { Schema } from '../../schema.ts';
import {
  endAllSessionsIn,
  endSession,
  listActiveSessions,
  requireCredential,
} from '../authentication/authentication.ts';
import { consumeCode } from '../one-time-secrets/one-time-secrets.ts';
import { staffPermissions } from '../staff-roles/staff-roles.ts';
import { checkEmailIsFree, checkNameIsFree, presentAccount, requireUser } from '../users/users.ts';
import { checkPassword, readPasswordHash, wrongPassword } from './step-up.ts';

/** Maximum bytes of an avatar, which the database holds. */
const AVATAR_MAX_BYTES = 65_536;
const AVATAR_MAX_PIXELS = 256;
const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

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
    await requireCredential(ctx, trx, caller);
    if (fields.username !== undefined) await checkNameIsFree(trx, fields.username, caller.userId);
    const merged = notices && { ...(await readNotices(trx, caller.userId)), ...notices };
    const { numUpdatedRows } = await trx
      .updateTable('user')
      .set({
        ...omitUndefinedFields(fields),
        ...omitUndefinedFields({ password_hash: passwordHash, notices: merged && JSON.stringify(merged) }),
        deleted_time: null,
      })
      .where('id', '=', caller.userId)
      // During the hashing, the account may have been deleted, or its password replaced because others know it.
      .where('deleted_time', 'is', null)
      .$if(replacedHash !== undefined, (query) => query.where('password_hash', '=', replacedHash ?? ''))
      .executeTakeFirst();
    if (replacedHash !== undefined && numUpdatedRows === 0n) throw wrongPassword('current_password');
    if (passwordHash !== undefined) await endAllSessionsIn(trx, caller.userId, caller.sessionIdHash);
  });
  await ctx.changes.publish({ topic: 'users', ids: [caller.userId] });
  return readSelf(ctx, caller.userId);
}

async function readNotices(trx: Transaction<Schema>, userId: number) {
  const row = await trx.selectFrom('user').select('notices').where('id', '=', userId).executeTakeFirst();
  return noticesSchema.parse(JSON.parse(row?.notices ?? '{}'));
}

/** @returns the present hash, which the new one may replace; empty for a first password */
async function checkMayReplacePassword(ctx: Context, caller: Caller, current: string): Promise<string> {
  const hash = await readPasswordHash(ctx, caller);
  if (hash !== '') await checkPassword(hash, current, 'current_password');
  else if (!caller.steppedUp) throw stepUpRequired();
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
    throw new AppError('wrong-code', 'This code is wrong or no longer valid. Request a new one.');
  const { userId } = call.caller;
  return ctx.db.writer.transaction().execute(async (trx) => {
    await requireCredential(ctx, trx, call.caller);
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
    ...pickFields(row, ['created_time', 'last_seen_time', 'address', 'device', 'method']),
    current: row.id_hash === caller.sessionIdHash,
  }));
}

/** @throws AppError `not-found`, also for another user's session */
export async function endOwnSession(ctx: Context, owner: Pick<Caller, 'userId' | 'role'>, id: string): Promise<void> {
  const sessions = await listActiveSessions(ctx, owner);
  if (!sessions.some((row) => row.id_hash === id))
    throw new AppError('not-found', 'This session has already ended. Reload the list.');
  await endSession(ctx, id);
}

/** @param image base64 of a PNG; empty to remove the avatar */
export async function setAvatar(ctx: Context, { userId }: Caller, image: string): Promise<void> {
  if (image === '') {
    await ctx.db.writer.deleteFrom('avatar').where('user_id', '=', userId).execute();
    await ctx.db.writer.updateTable('user').set({ avatar_url: '' }).where('id', '=', userId).execute();
    return;
  }
  const bytes = Buffer.from(image, 'base64');
  if (!isSmallPng(bytes)) throw fieldError('image', 'picture', 'The image must be a PNG of at most 64 kB');
  const row = { image: bytes, changed_time: nowSeconds(ctx.clock) };
  await ctx.db.writer
    .insertInto('avatar')
    .values({ user_id: userId, ...row })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(row))
    .execute();
}

/** @throws AppError `not-found`, also for another user's, unless the caller may see users */
export async function readAvatar(ctx: Context, caller: Caller, userId: number): Promise<Uint8Array<ArrayBuffer>> {
  if (userId !== caller.userId && !hasAccess(caller, 'users.read')) throw notFound('image of the user', userId);
  const row = await ctx.db.writer.selectFrom('avatar').select('image').where('user_id', '=', userId).executeTakeFirst();
  if (row === undefined) throw notFound('image of the user', userId);
  return new Uint8Array(row.image);
}

/** Returns whether the PNG header has a small size: https://www.w3.org/TR/png-3/#11IHDR */
function isSmallPng(bytes: Buffer): boolean {
  if (bytes.length < 33 || bytes.length > AVATAR_MAX_BYTES || !bytes.subarray(0, 8).equals(PNG_SIGNATURE)) return false;
  return bytes.readUInt32BE(16) <= AVATAR_MAX_PIXELS && bytes.readUInt32BE(20) <= AVATAR_MAX_PIXELS;
}
