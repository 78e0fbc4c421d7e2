import { AsyncLocalStorage } from 'node:async_hooks';
import type { Right } from '@switchyard/contract/accounts/permissions';
import type { Role } from '@switchyard/contract/codes';
import type { UserId } from '@switchyard/contract/ids';
import type { Access } from '@switchyard/contract/route';

/** Root, acting as another user. */
export interface Impersonator {
  userId: UserId;
  username: string;
  /** Keyed hash of root's own session. */
  sessionIdHash: string;
  /** UTC seconds at which it ends. */
  until: number;
}

/** The signed-in user, as the database had it when the request came in. */
export interface Caller {
  userId: UserId;
  username: string;
  role: Role;
  /** Rights of this credential: all of the role's, or those for which the access token was created. */
  rights: ReadonlySet<Right>;
  /** Writes are refused to this access token. */
  readOnly: boolean;
  groupSymbol: string;
  /** Keyed hash of the session's cookie; absent for calls with a management access token. */
  sessionIdHash: string | undefined;
  /** Within the last minutes the user proved in this session who they are. */
  steppedUp: boolean;
  /** The role needs a second factor, there is none, and the time of grace is over. */
  lacksSecondFactor: boolean;
  /** UTC seconds from when the role cannot be used without a second factor; undefined: never. */
  secondFactorNeededFrom: number | undefined;
  /** User who impersonates this one; undefined if there is none. */
  impersonator: Impersonator | undefined;
}

/** Returns whether the caller may now: a right beyond their own account cannot be used without the second factor that is due. */
export function hasAccess({ rights, lacksSecondFactor }: Caller, access: Access): boolean {
  if (access === 'anyone') return true;
  return rights.has(access) && (access === 'user' || !lacksSecondFactor);
}

/** The user who reads: for queues far below a route, in which users alternate. */

const current = new AsyncLocalStorage<number>();

/** Runs what a user reads. */
export function runAsReader<T>(userId: number, work: () => Promise<T>): Promise<T> {
  return current.run(userId, work);
}

/** Returns the user who reads; undefined where the server itself does. */
export function getCurrentReader(): number | undefined {
  return current.getStore();
}
