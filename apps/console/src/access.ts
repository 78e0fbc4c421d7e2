import type { Role } from '@switchyard/contract/codes';
import type { Access } from '@switchyard/contract/route';

const rank: Record<Role, number> = { user: 1, staff: 3, admin: 10, root: 100 };

/** Whether a screen or an action is for this role; the server decides again on every call. */
export function mayAccess(role: Role | undefined, access: Access): boolean {
  if (access === 'anyone') return true;
  return role !== undefined && rank[role] >= rank[access];
}
