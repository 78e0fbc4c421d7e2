/** User accounts for administrators. Balances belong to the ledger. */
import { identityProvider } from '@switchyard/contract/accounts/identities';
import type { User, updateUser as updateUserSchema } from '@switchyard/contract/accounts/users';
import type { StaffRoleId, UserId } from '@switchyard/contract/ids';
import { toPoints } from '@switchyard/contract/money';
import type { Role } from '@switchyard/contract/wire-enums';
import { type Kysely, sql } from 'kysely';
import type { z } from 'zod';
import type { Context } from '../../context.ts';
import { equalsIgnoringCase } from '../../db/paging.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError, changedSince, notFound } from '../../platform/http/app-error.ts';
import { type Caller, hasAccess } from '../../platform/http/caller.ts';
import { omitUndefinedFields, pickFields } from '../../platform/object-fields.ts';
import { checkPasswordIsUncommon, hashPassword } from '../../platform/secrets/password-hashing.ts';
import type { Schema } from '../../schema.ts';
import { removeUserAccessTokens } from '../access-tokens/access-tokens.ts';
import { endAllSessionsIn } from '../authentication/authentication.ts';
import { checkStaffRoleExists } from '../staff-roles/staff-roles.ts';
import { checkGroupExists } from '../user-groups/user-groups.ts';
import { checkNameIsFree, createAccount, type NewAccount } from './create-and-find-users.ts';
import { parseDiscrepancies, selectUsers, type UserRow } from './queries.ts';
import { removeAccount } from './remove-user.ts';
import { checkMayAssignRole, checkMayChange, checkNotRoot, checkSteppedUp } from './role-rules.ts';

export {
  checkEmailIsFree,
  checkNameIsFree,
  chooseMailLanguage,
  createAccount,
  findAccountByLogin,
  findAccountByMail,
  findUserByUsername,
  rootExists,
  selectAccountByMail,
} from './create-and-find-users.ts';
export { checkRemovable, removeAccount } from './remove-user.ts';
export { checkMayChange } from './role-rules.ts';

type UpdateUser = z.output<typeof updateUserSchema>;

export async function getUser(ctx: Context, id: number): Promise<User> {
  return getUserFrom(ctx.db.writer, id);
}

/** Returns a user as a transaction sees it. */
export async function getUserFrom(db: Kysely<Schema>, id: number): Promise<User> {
  return presentUser(await requireUserFrom(db, id));
}

/**
 * Creates an account. Only callers who may change balances give it the gift for new users: others could collect gifts
 * by creating accounts for themselves.
 * @throws AppError when the name is taken, the password common, the group unknown, or the role not a lower one
 */
export async function createUser(ctx: Context, caller: Caller, input: NewAccount & { role: Role }): Promise<User> {
  checkMayAssignRole(caller, input.role);
  if (input.role !== 'user') checkSteppedUp(caller);
  if (input.password !== undefined) checkPasswordIsUncommon(input.password);
  await checkGroupExists(ctx, input.group, 'group');
  return getUser(ctx, await createAccount(ctx, { ...input, hasWelcomeGift: hasAccess(caller, 'balances.write') }));
}

/**
 * Updates the sent fields. A new password, role or status ends the user's sessions and pending secrets.
 * @throws AppError `not-allowed`, `already-exists`, `conflict` when another user changed the account at the same time
 */
export async function updateUser(ctx: Context, caller: Caller, input: UpdateUser): Promise<User> {
  const { id, password, group, role, staff_role, status, ...same } = input;
  const before = await requireUser(ctx, id);
  await checkUpdate(ctx, caller, before, input);
  const passwordHash = password === undefined ? undefined : await hashPassword(password, 'known');
  await ctx.db.writer.transaction().execute(async (trx) => {
    if (same.username !== undefined) await checkNameIsFree(trx, same.username, id);
    const { numUpdatedRows } = await trx
      .updateTable('user')
      .set({
        ...omitUndefinedFields(same),
        ...omitUndefinedFields({
          password_hash: passwordHash,
          group_symbol: group,
          role,
          staff_role_id: staff_role,
          status,
        }),
        // An address that an administrator enters is not verified, unless it is the account's at this moment.
        ...(same.email === undefined
          ? {}
          : { email_verified_time: sql<number | null>`case when email = ${same.email} then email_verified_time end` }),
        ...((role ?? before.role) === before.role ? {} : { role_since: nowSeconds(ctx.clock) }),
        deleted_time: null,
      })
      .where('id', '=', id)
      // The account may have been deleted, or got another role, during the hashing.
      .where('deleted_time', 'is', null)
      .where('role', '=', before.role)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw changedSince('account');
    const rightsChange = (role ?? before.role) !== before.role || (status ?? before.status) !== before.status;
    if (passwordHash !== undefined || rightsChange) await endAllSessionsIn(trx, id);
    if (passwordHash !== undefined) await removeUserAccessTokens(trx, id);
  });
  await ctx.changes.publish({ topic: 'users', ids: [id] });
  return getUser(ctx, id);
}

async function checkUpdate(
  ctx: Context,
  caller: Caller,
  before: UserRow,
  { id, role, staff_role, status, password, email, group }: UpdateUser,
): Promise<void> {
  checkMayChange(caller, before);
  if (before.role !== 'user' || (role ?? 'user') !== 'user') checkSteppedUp(caller);
  if ((role ?? before.role) !== before.role) {
    checkNotRoot(before);
    checkMayAssignRole(caller, role ?? before.role);
  }
  if (typeof staff_role === 'number') {
    // The role would take effect as soon as another administrator makes them staff.
    if (staff_role !== before.staff_role_id) checkMayAssignRole(caller, 'staff');
    await checkStaffRoleExists(ctx, staff_role, 'staff_role');
  }
  if (status === 'disabled') checkNotRoot(before);
  if (password !== undefined && id === caller.userId)
    throw new AppError('not-allowed', 'Change your own password in your profile');
  if (password !== undefined) checkPasswordIsUncommon(password);
  // The mail address can be used to reset the password, so it is changed only with a step-up and verification.
  if (id === caller.userId && (email ?? before.email) !== before.email)
    throw new AppError('not-allowed', 'Change your own email address in your profile');
  if (group !== undefined && group !== before.group_symbol) await checkGroupExists(ctx, group, 'group');
}

export async function removeUser(ctx: Context, caller: Caller, id: number): Promise<void> {
  const before = await requireUser(ctx, id);
  checkNotRoot(before);
  checkMayChange(caller, before);
  if (before.role !== 'user') checkSteppedUp(caller);
  await removeAccount(ctx, before);
}

/** @throws AppError `not-found`, or `not-allowed` for an equal or higher role */
export async function checkMayChangeUser(ctx: Context, caller: Caller, id: number): Promise<void> {
  checkMayChange(caller, await requireUser(ctx, id));
}

/** Acknowledges a user's ledger discrepancies, which lets the user spend again. */
export async function acknowledgeDiscrepancies(ctx: Context, caller: Caller, id: number): Promise<User> {
  checkMayChange(caller, await requireUser(ctx, id));
  await ctx.ledger.transaction((_trx, moves) => moves.acknowledgeDiscrepancies(id));
  return getUser(ctx, id);
}

/** @throws AppError `not-found` */
export async function requireUserByName(ctx: Context, username: string): Promise<UserRow> {
  const row = await selectUsers(ctx.db.writer).where(equalsIgnoringCase('user.username', username)).executeTakeFirst();
  if (row === undefined) throw notFound('user', username);
  return row;
}

/** @throws AppError `not-found` */
export async function requireUser(ctx: Context, id: number): Promise<UserRow> {
  return requireUserFrom(ctx.db.writer, id);
}

async function requireUserFrom(db: Kysely<Schema>, id: number): Promise<UserRow> {
  const row = await selectUsers(db).where('user.id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('user', id);
  return row;
}

/** Serializes the part of an account that its owner and administrators both see. */
export function presentAccount(row: UserRow) {
  return {
    id: row.id as UserId,
    ...pickFields(row, ['username', 'display_name', 'email', 'role', 'status', 'created_time', 'last_login_time']),
    avatar_url: row.avatar_time === null ? row.avatar_url : `/api/user/avatar/${row.id}?v=${row.avatar_time}`,
    group: row.group_symbol,
    quota: toPoints(row.available),
    used_quota: toPoints(row.used),
    request_count: row.requests,
  };
}

/** Serializes a user for administrators. */
export function presentUser(row: UserRow): User {
  return {
    ...presentAccount(row),
    last_login_ip: row.last_login_ip,
    held_quota: toPoints(row.held),
    staff_role: row.staff_role_id === null ? null : (row.staff_role_id as StaffRoleId),
    ledger_alarms: parseDiscrepancies(row.alarms),
  };
}

/**
 * Requires a remaining sign-in method, without which the account would be lost.
 * @param db transaction that removed a sign-in method
 * @throws AppError `conflict` when it was the last one
 */
export async function requireSignInMethod(db: Kysely<Schema>, userId: number): Promise<void> {
  if (await hasSignInMethod(db, userId)) return;
  throw new AppError('conflict', 'This is the last sign-in method of the account. Add another one first.');
}

/** Returns whether the account has a sign-in method: a password, a passkey or a third-party identity. */
async function hasSignInMethod(db: Kysely<Schema>, userId: number): Promise<boolean> {
  const found = await db
    .selectFrom('user')
    .select('id')
    .where('id', '=', userId)
    .where((eb) =>
      eb.or([
        eb('password_hash', '<>', ''),
        eb.exists(eb.selectFrom('passkey').select('id').where('user_id', '=', userId)),
        eb.exists(
          eb
            .selectFrom('identity')
            .select('subject')
            .where('user_id', '=', userId)
            .where('provider', 'in', identityProvider.options),
        ),
      ]),
    )
    .executeTakeFirst();
  return found !== undefined;
}
