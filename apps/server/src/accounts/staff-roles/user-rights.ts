/** Rights of an account at this moment, for work that is not done in a request of its own. */

import { getRightsOfRole, type Right } from '@switchyard/contract/accounts/permissions';
import type { Kysely, Nullable } from 'kysely';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { hasAccess } from '../../platform/http/caller.ts';
import type { Schema } from '../../schema.ts';
import {
  isRoleSuspended,
  roleColumns,
  selectHasSecondFactor,
  toRoleHolder,
} from '../role-suspension/role-suspension.ts';
import type { UserTable } from '../users/table.ts';
import { staffPermissions } from './staff-roles.ts';

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
