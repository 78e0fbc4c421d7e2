/**
 * Suspension of roles: the site may require a second factor of its staff. After the grace period, an account without
 * one keeps only the use of its own account.
 */

import type { Settings } from '@switchyard/contract/operations/settings';
import type { Role } from '@switchyard/contract/wire-enums';
import { sql } from 'kysely';

const DAY_SECONDS = 24 * 3600;

type SecondFactorSettings = Pick<Settings, 'adminSecondFactor' | 'adminSecondFactorGraceDays'>;

export interface RoleHolder {
  role: Role;
  /** UTC seconds at which the account got its role. */
  roleSince: number;
  hasSecondFactor: boolean;
}

/** Columns of `user` from which `toRoleHolder` reads, besides `selectHasSecondFactor`. */
export const roleColumns = ['user.role', 'user.role_since'] as const;

/** Selects, in a query of `user`, whether the account has a second factor. */
export const selectHasSecondFactor = sql<number>`
  exists (select 1 from totp where totp.user_id = "user".id)
  or exists (select 1 from passkey where passkey.user_id = "user".id)`.as('has_second_factor');

export function toRoleHolder(row: { role: Role; role_since: number; has_second_factor: number }): RoleHolder {
  return { role: row.role, roleSince: row.role_since, hasSecondFactor: row.has_second_factor !== 0 };
}

/** Returns the UTC seconds from which the role requires a second factor; undefined if it never does. */
export function getSecondFactorDeadline(
  { adminSecondFactor, adminSecondFactorGraceDays }: SecondFactorSettings,
  { role, roleSince }: Pick<RoleHolder, 'role' | 'roleSince'>,
): number | undefined {
  return adminSecondFactor && role !== 'user' ? roleSince + adminSecondFactorGraceDays * DAY_SECONDS : undefined;
}

/** @param now UTC seconds */
export function isRoleSuspended(settings: SecondFactorSettings, holder: RoleHolder, now: number): boolean {
  const deadline = getSecondFactorDeadline(settings, holder);
  return deadline !== undefined && !holder.hasSecondFactor && now >= deadline;
}
