/** Rules for which role may do what to which other role. */

import { outranks } from '@switchyard/contract/accounts/permissions';
import type { Role, UserStatus } from '@switchyard/contract/wire-enums';
import { AppError, fieldError, stepUpRequired } from '../../platform/http/app-error.ts';
import type { Caller } from '../../platform/http/caller.ts';

/** @throws AppError `not-allowed` when the target's role is equal or higher, unless the caller is root */
export function checkMayChange(caller: Caller, target: { role: Role }): void {
  if (!outranks(caller.role, target.role))
    throw new AppError('not-allowed', 'Your role does not allow changes to this user');
}

/** Protects the single root account, which cannot be assigned, demoted, disabled or deleted. */
export function checkNotRoot(target: { role: Role }): void {
  if (target.role === 'root') throw new AppError('not-allowed', 'The root account cannot be changed');
}

export function checkMayAssignRole(caller: Caller, role: Role): void {
  if (role === 'root') throw fieldError('role', 'not-allowed', 'There can be only one root account');
  if (!outranks(caller.role, role)) throw fieldError('role', 'not-allowed', 'You can assign only roles below your own');
}

/**
 * Requires a recent step-up before a staff account is created, changed or removed.
 * @throws AppError `step-up-required`, or `not-allowed` for access tokens, which cannot be confirmed
 */
export function checkSteppedUp(caller: Caller): void {
  if (caller.steppedUp) return;
  if (caller.sessionIdHash === undefined)
    throw new AppError('not-allowed', 'Staff accounts can be changed only in the console');
  throw stepUpRequired();
}

type Action = 'enable' | 'disable' | 'promote' | 'demote' | 'set_reliable';

const actionChanges: Readonly<Record<Action, { role?: Role; status?: UserStatus }>> = {
  enable: { status: 'enabled' },
  disable: { status: 'disabled' },
  promote: { role: 'admin' },
  demote: { role: 'user' },
  set_reliable: { role: 'staff' },
};

/** Returns the change of a One Hub compatible action. */
export function toUserChange(action: Action): { role?: Role; status?: UserStatus } {
  return actionChanges[action];
}
