/** Staff roles: named sets of permissions that the operator gives to members of staff. */

import {
  addImpliedPermissions,
  getRightsOfRole,
  type Permission,
  permission,
  type Right,
} from '@switchyard/contract/accounts/permissions';
import type { StaffRole, staffRoleForm } from '@switchyard/contract/accounts/staff-roles';
import type { StaffRoleId } from '@switchyard/contract/ids';
import { type Kysely, type Nullable, sql } from 'kysely';
import type { z } from 'zod';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError, alreadyExists, fieldError, notFound } from '../../platform/http/app-error.ts';
import { hasAccess } from '../../platform/http/caller.ts';
import type { Schema } from '../../schema.ts';
import {
  isRoleSuspended,
  roleColumns,
  selectHasSecondFactor,
  toRoleHolder,
} from '../staff-second-factor/staff-second-factor.ts';
import type { UserTable } from '../users/table.ts';

type Form = z.output<typeof staffRoleForm>;

/** Parses the stored list of permissions; ignores those that this version doesn't know. */
export function staffPermissions(stored: string | null): Permission[] {
  const names: unknown = JSON.parse(stored ?? '[]');
  if (!Array.isArray(names)) return [];
  return names.flatMap((name) => permission.safeParse(name).data ?? []);
}

export async function listStaffRoles(ctx: Context): Promise<StaffRole[]> {
  const rows = await selectRoles(ctx.db.writer).orderBy('staff_role.name').execute();
  return rows.map(present);
}

/** @throws AppError `already-exists` for a name in use */
export async function createStaffRole(ctx: Context, form: Form): Promise<StaffRole> {
  return ctx.db.writer.transaction().execute(async (trx) => {
    await checkNameIsFree(trx, form.name);
    const { id } = await trx.insertInto('staff_role').values(columnsOf(form)).returning('id').executeTakeFirstOrThrow();
    return findRole(trx, id);
  });
}

/** @throws AppError `not-found`, `already-exists` */
export async function updateStaffRole(ctx: Context, id: StaffRoleId, form: Form): Promise<StaffRole> {
  return ctx.db.writer.transaction().execute(async (trx) => {
    await findRole(trx, id);
    await checkNameIsFree(trx, form.name, id);
    await trx.updateTable('staff_role').set(columnsOf(form)).where('id', '=', id).execute();
    return findRole(trx, id);
  });
}

/** @throws AppError `not-found`, `conflict` while a member of staff has it */
export async function removeStaffRole(ctx: Context, id: StaffRoleId): Promise<void> {
  await ctx.db.writer.transaction().execute(async (trx) => {
    const { members } = await findRole(trx, id);
    if (members > 0)
      throw new AppError('conflict', 'This role is assigned to staff members. Assign them another role first.');
    await trx.deleteFrom('staff_role').where('id', '=', id).execute();
  });
}

/** @throws AppError that names the form's field */
export async function checkStaffRoleExists(ctx: Context, id: number, field: string): Promise<void> {
  const row = await selectRoles(ctx.db.writer).where('staff_role.id', '=', id).executeTakeFirst();
  if (row === undefined) throw fieldError(field, 'unknown', `There is no staff role ${id}`);
}

function selectRoles(db: Kysely<Schema>) {
  return db
    .selectFrom('staff_role')
    .select(['staff_role.id', 'staff_role.name', 'staff_role.permissions'])
    .select(
      sql<number>`(select count(*) from "user"
        where "user".staff_role_id = staff_role.id and "user".deleted_time is null)`.as('members'),
    );
}

async function findRole(db: Kysely<Schema>, id: number): Promise<StaffRole> {
  const row = await selectRoles(db).where('staff_role.id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('staff role', id);
  return present(row);
}

async function checkNameIsFree(db: Kysely<Schema>, name: string, except?: number): Promise<void> {
  const taken = await db.selectFrom('staff_role').select('id').where('name', '=', name).executeTakeFirst();
  if (taken !== undefined && taken.id !== except) throw alreadyExists('name', `A role named ${name} already exists`);
}

const columnsOf = ({ name, permissions }: Form) => ({
  name,
  permissions: JSON.stringify(addImpliedPermissions(permissions)),
});

function present(row: { id: number; name: string; permissions: string; members: number }): StaffRole {
  return {
    id: row.id as StaffRoleId,
    name: row.name,
    permissions: staffPermissions(row.permissions),
    members: row.members,
  };
}

/** Columns of `user` and `staff_role` that decide, besides `selectHasSecondFactor`. */
export const rightColumns = [...roleColumns, 'user.status', 'staff_role.permissions'] as const;

/** Null where there is no account. */
type RightHolder = Nullable<Pick<UserTable, 'role' | 'role_since' | 'status'>> & {
  /** Stored permissions of the staff role. */
  permissions: string | null;
  has_second_factor: number;
};

/** Returns whether an account is enabled, has the right, and may use its role at this moment. */
export function hasRight(
  { settings, clock }: Pick<Context, 'settings' | 'clock'>,
  { role, role_since, status, permissions, has_second_factor }: RightHolder,
  right: Right,
): boolean {
  if (status !== 'enabled' || role === null || role_since === null) return false;
  const holder = toRoleHolder({ role, role_since, has_second_factor });
  const rights = new Set(getRightsOfRole(role, staffPermissions(permissions)));
  return hasAccess({ rights, lacksSecondFactor: isRoleSuspended(settings, holder, nowSeconds(clock)) }, right);
}

/** Does the same by the account's id. @returns false also for a deleted account */
export async function hasUserRight(
  ctx: Pick<Context, 'settings' | 'clock'>,
  db: Kysely<Schema>,
  userId: number,
  right: Right,
): Promise<boolean> {
  const holder = await db
    .selectFrom('user')
    .leftJoin('staff_role', 'staff_role.id', 'user.staff_role_id')
    .select(rightColumns)
    .select(selectHasSecondFactor)
    .where('user.id', '=', userId)
    .where('user.deleted_time', 'is', null)
    .executeTakeFirst();
  return holder !== undefined && hasRight(ctx, holder, right);
}
