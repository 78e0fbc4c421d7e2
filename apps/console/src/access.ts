import type { Self } from '@switchyard/contract/accounts/profile';
import type { Access } from '@switchyard/contract/route';

/** Returns whether the user may use a screen or an action; the server decides again on every call. */
export function mayAccess(self: Pick<Self, 'rights'> | null, access: Access): boolean {
  return access === 'anyone' || self?.rights.includes(access) === true;
}
