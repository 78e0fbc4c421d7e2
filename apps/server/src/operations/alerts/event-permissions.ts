/** Permission to read a notification: checked when it is queued, and again when it is sent or shown. */

import { getRightsOfRole } from '@switchyard/contract/accounts/permissions';
import { eventRights, type NotificationEvent, ownEvents, siteEvents } from '@switchyard/contract/operations/alerts';
import type { Kysely, Nullable } from 'kysely';
import { staffPermissions } from '../../accounts/staff-roles/staff-roles.ts';
import type { UserTable } from '../../accounts/users/table.ts';
import type { Caller } from '../../platform/http/caller.ts';
import type { Schema } from '../../schema.ts';

type User = Nullable<Pick<UserTable, 'role' | 'status'>>;

/**
 * Returns whether an account is enabled and has the right.
 * @param permissions stored permissions of its staff role
 */
export function canReadEvent(
  { role, status, permissions }: User & { permissions: string | null },
  event: NotificationEvent,
): boolean {
  if (status !== 'enabled' || role === null) return false;
  return getRightsOfRole(role, staffPermissions(permissions)).includes(eventRights[event]);
}

/** @returns false also for a deleted account */
export async function canUserReadEvent(db: Kysely<Schema>, userId: number, event: NotificationEvent): Promise<boolean> {
  const reader = await db
    .selectFrom('user')
    .leftJoin('staff_role', 'staff_role.id', 'user.staff_role_id')
    .select(['user.role', 'user.status', 'staff_role.permissions'])
    .where('user.id', '=', userId)
    .where('user.deleted_time', 'is', null)
    .executeTakeFirst();
  return reader !== undefined && canReadEvent(reader, event);
}

/** Returns the events that a caller may be notified of. */
export const listReadableEvents = ({ rights }: Pick<Caller, 'rights'>): NotificationEvent[] =>
  [...ownEvents, ...siteEvents].filter((event) => rights.has(eventRights[event]));
