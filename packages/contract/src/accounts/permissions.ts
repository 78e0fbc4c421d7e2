/**
 * Rights of callers. A route requires one right; a role is a set of rights. `user` is the use of one's own account,
 * `root` is reserved for the operator; the permissions between them belong to administrators and can be granted to
 * staff.
 */
import { z } from 'zod';
import type { Role } from '../wire-enums.ts';

export const permissionNames = [
  'overview.read',
  'users.read',
  'users.write',
  'balances.write',
  'records.read',
  'channels.read',
  'channels.write',
  'groups.read',
  'groups.write',
  'prices.read',
  'prices.write',
  'orders.read',
  'orders.write',
  'codes.read',
  'codes.write',
  'processors.read',
  'processors.write',
  'money.read',
] as const;

export const permission = z.enum(permissionNames);
export type Permission = z.output<typeof permission>;

export const right = z.enum(['user', ...permissionNames, 'root']);
export type Right = z.output<typeof right>;

/** Permissions without which the key cannot be used. */
const implied: Partial<Record<Permission, readonly Permission[]>> = {
  'users.read': ['groups.read'],
  'users.write': ['users.read', 'groups.read'],
  'balances.write': ['users.read', 'groups.read'],
  'channels.read': ['groups.read'],
  'channels.write': ['channels.read', 'groups.read'],
  'groups.write': ['groups.read'],
  'prices.write': ['prices.read'],
  'orders.write': ['orders.read'],
  'codes.write': ['codes.read', 'groups.read'],
  'processors.write': ['processors.read'],
};

/** Returns the chosen permissions and the permissions that they require, in the order of `permissionNames`. */
export function addImpliedPermissions(chosen: readonly Permission[]): Permission[] {
  const all = new Set(chosen.flatMap((name) => [name, ...(implied[name] ?? [])]));
  return permissionNames.filter((name) => all.has(name));
}

const rank: Readonly<Record<Role, number>> = { user: 1, staff: 3, admin: 10, root: 100 };

/** Returns whether the role may act on the other: root on all, others only on lower roles. */
export function outranks(one: Role, other: Role): boolean {
  return one === 'root' || rank[one] > rank[other];
}

/** @param ofStaff permissions that the operator granted to this staff member */
export function getRightsOfRole(role: Role, ofStaff: readonly Permission[]): Right[] {
  switch (role) {
    case 'user':
      return ['user'];
    case 'staff':
      return ['user', ...addImpliedPermissions(ofStaff)];
    case 'admin':
      return ['user', ...permissionNames];
    case 'root':
      return ['user', ...permissionNames, 'root'];
  }
}
