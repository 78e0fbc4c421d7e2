/** Permission to read a notification: checked when it is queued, and again when it is sent or shown. */

import { getRightsOfRole } from '@switchyard/contract/accounts/permissions';
import { eventRights, type NotificationEvent, ownEvents, siteEvents } from '@switchyard/contract/operations/alerts';
import type { Nullable } from 'kysely';
import {
  isRoleSuspended,
  roleColumns,
  selectHasSecondFactor,
  toRoleHolder,
} from '../../accounts/role-suspension/role-suspension.ts';
import { staffPermissions } from '../../accounts/staff-roles/staff-roles.ts';
import type { UserTable } from '../../accounts/users/table.ts';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { type Caller, hasAccess } from '../../platform/http/caller.ts';

/** Columns of `user` and `staff_role` that decide, besides `selectHasSecondFactor`. */
export const readerColumns = [...roleColumns, 'user.status', 'staff_role.permissions'] as const;

type Reader = Nullable<Pick<UserTable, 'role' | 'role_since' | 'status'>> & {
  /** Stored permissions of the staff role. */
  permissions: string | null;
  has_second_factor: number;
};

/** Returns whether an account is enabled, has the right, and may use its role at this moment. */
export function canReadEvent(
  { settings, clock }: Pick<Context, 'settings' | 'clock'>,
  { role, role_since, status, permissions, has_second_factor }: Reader,
  event: NotificationEvent,
): boolean {
  if (status !== 'enabled' || role === null || role_since === null) return false;
  const holder = toRoleHolder({ role, role_since, has_second_factor });
  const rights = new Set(getRightsOfRole(role, staffPermissions(permissions)));
  const lacksSecondFactor = isRoleSuspended(settings, holder, nowSeconds(clock));
  return hasAccess({ rights, lacksSecondFactor }, eventRights[event]);
}

/** @returns false also for a deleted account */
export async function canUserReadEvent(ctx: Context, userId: number, event: NotificationEvent): Promise<boolean> {
  const reader = await ctx.db.writer
    .selectFrom('user')
    .leftJoin('staff_role', 'staff_role.id', 'user.staff_role_id')
    .select(readerColumns)
    .select(selectHasSecondFactor)
    .where('user.id', '=', userId)
    .where('user.deleted_time', 'is', null)
    .executeTakeFirst();
  return reader !== undefined && canReadEvent(ctx, reader, event);
}

/** Returns the events that a caller may be notified of. */
export const listReadableEvents = (caller: Pick<Caller, 'rights' | 'lacksSecondFactor'>): NotificationEvent[] =>
  [...ownEvents, ...siteEvents].filter((event) => hasAccess(caller, eventRights[event]));
