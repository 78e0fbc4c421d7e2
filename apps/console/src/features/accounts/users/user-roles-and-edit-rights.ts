import { outranks } from '@switchyard/contract/accounts/permissions';
import type { Role, UserStatus } from '@switchyard/contract/wire-enums';

export const roles = ['user', 'staff', 'admin', 'root'] as const satisfies readonly Role[];
export const userStatuses = ['enabled', 'disabled'] as const satisfies readonly UserStatus[];

interface Person {
  id: number;
  role: Role;
}

/** Returns what the signed-in user may do with an account; the server checks access on every call. */
export function userRights(self: Person | null, user: Person) {
  const change = self !== null && outranks(self.role, user.role);
  // The only root account can be edited, but not disabled, deleted or demoted.
  const manage = change && user.role !== 'root' && self.id !== user.id;
  return { change, manage };
}

/** Returns the roles that the signed-in user may assign. */
export function assignableRoles(self: Person | null): Role[] {
  return self === null ? [] : roles.filter((role) => role !== 'root' && outranks(self.role, role));
}
