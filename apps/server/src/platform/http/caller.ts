import { AsyncLocalStorage } from 'node:async_hooks';
import type { Right } from '@switchyard/contract/accounts/permissions';
import type { UserId } from '@switchyard/contract/ids';
import type { Access } from '@switchyard/contract/route';
import type { Role } from '@switchyard/contract/wire-enums';

/** Root, impersonating another user. */
export interface Impersonator {
  userId: UserId;
  username: string;
  /** Keyed hash of root's own session. */
  sessionIdHash: string;
  /** UTC seconds at which it ends. */
  until: number;
}

/** Signed-in user, as the database had it when the request arrived. */
export interface Caller {
  userId: UserId;
  username: string;
  role: Role;
  /** Rights of this credential: all of the role's, or those for which the access token was created. */
  rights: ReadonlySet<Right>;
  /** True if this access token must not write. */
  readOnly: boolean;
  groupSymbol: string;
  /** Keyed hash of the session's cookie; absent for calls with a management access token. */
  sessionIdHash: string | undefined;
  /** Id of the management access token; absent for calls with a session. */
  accessTokenId: number | undefined;
  /** True after a recent step-up in this session. */
  steppedUp: boolean;
  /** True if the role requires a second factor, there is none, and the grace period is over. */
  lacksSecondFactor: boolean;
  /** UTC seconds at which the role becomes unusable without a second factor; undefined for never. */
  secondFactorNeededFrom: number | undefined;
  /** User who impersonates this one; undefined if there is none. */
  impersonator: Impersonator | undefined;
}

/**
 * Returns whether the caller has access now: rights beyond the own account require the second factor once it is due.
 */
export function hasAccess(
  { rights, lacksSecondFactor }: Pick<Caller, 'rights' | 'lacksSecondFactor'>,
  access: Access,
): boolean {
  if (access === 'anyone') return true;
  return rights.has(access) && (access === 'user' || !lacksSecondFactor);
}

/**
 * Returns the key of a user's limits. All sessions of a user share one, and all access tokens: a stolen token can't use
 * up what its owner needs to delete it.
 */
export function buildLimitKey({ userId, accessTokenId }: Pick<Caller, 'userId' | 'accessTokenId'>): string {
  return `${userId} by ${accessTokenId === undefined ? 'session' : 'access token'}`;
}

/** User of the current read, for the queues of the reading thread, in which users alternate. */

const current = new AsyncLocalStorage<number>();

/** Runs work as the reads of a user. */
export function runAsReader<T>(userId: number, work: () => Promise<T>): Promise<T> {
  return current.run(userId, work);
}

/** Returns the user of the current read; undefined for the server's own. */
export function getCurrentReader(): number | undefined {
  return current.getStore();
}
