import type { Self } from '@switchyard/contract/accounts/profile';
import type { Access } from '@switchyard/contract/route';

/** Whether a screen or an action is for this user; the server decides again on every call. */
export function mayAccess(self: Pick<Self, 'rights'> | null, access: Access): boolean {
  return access === 'anyone' || self?.rights.includes(access) === true;
}
