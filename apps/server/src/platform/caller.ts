import type { Role } from '@switchyard/contract/codes';
import type { UserId } from '@switchyard/contract/ids';
import type { Access } from '@switchyard/contract/route';

/** The signed-in user, as the database had it when the request came in. */
export interface Caller {
  userId: UserId;
  username: string;
  role: Role;
  groupSymbol: string;
  /** Keyed hash of the session's cookie; absent for calls with a management access token. */
  sessionIdHash: string | undefined;
  /** The password was checked within the last minutes. */
  steppedUp: boolean;
}

const rank: Readonly<Record<Role, number>> = { user: 1, staff: 3, admin: 10, root: 100 };

export function hasRole(caller: Caller, needed: Exclude<Access, 'anyone'>): boolean {
  return rank[caller.role] >= rank[needed];
}

/** Nobody acts on an equal or higher role, but root acts on all. */
export function outranks(caller: Caller, other: Role): boolean {
  return caller.role === 'root' || rank[caller.role] > rank[other];
}
