/** Funds of users and keys: the rows as last read, plus later decisions. */
import { type Clock, nowSeconds } from '../platform/clock.ts';
import { getPeriodEnd, PERIODS, type Period, type PeriodUsage } from './budgets/period-usage.ts';
import type { Hold } from './ledger-write-types.ts';

export interface UserAccount {
  balance: number;
  held: number;
  /** True if the self-check found a discrepancy that is not yet acknowledged. */
  hasDiscrepancy: boolean;
}
export interface KeyAccount {
  remaining: number;
  held: number;
  use: PeriodUsage;
}

/**
 * Reason why a hold does not fit: `user` for the balance, `key` for the key's quota, `alarm` for an unacknowledged
 * discrepancy, else the period of an exhausted key budget.
 */
export interface Shortage {
  short: 'user' | 'key' | 'alarm' | Period;
  /** Points that can still be spent. */
  available: number;
  /** Reset time of the budget, UTC seconds. */
  resetsAt?: number;
}

export interface Accounts {
  user(userId: number): UserAccount | undefined;
  /** Returns the points that a user can spend now. */
  getAvailable(userId: number): number;
  /** Returns undefined when the hold fits. */
  findShortage(hold: Hold): Shortage | undefined;
  /** Adds a hold's amount to the held points, or subtracts it. */
  reserve(hold: Hold, direction: 1 | -1): void;
  /** Charges points at the time `at`, UTC seconds. */
  spend(hold: Hold, points: number, at: number): void;
  /** Removes the account from memory; the next access reads the rows again. */
  forgetUser(userId: number): void;
  forgetKey(apiKeyId: number): void;
  forgetAll(): void;
  /** True if memory has more accounts than it should keep. */
  readonly isFull: boolean;
}

/** Maximum number of accounts of each kind in memory, about 100 MB of keys that were used every day of a month. */
const ACCOUNTS_MAX = 50_000;

/** Rows that are read on the first access to an account. */
export interface AccountRows {
  user(userId: number): UserAccount | undefined;
  key(apiKeyId: number): KeyAccount | undefined;
}

export function createAccounts(rows: AccountRows, clock: Clock): Accounts {
  const users = createAccountCache((userId) => rows.user(userId));
  const keys = createAccountCache((apiKeyId) => rows.key(apiKeyId));
  const keyOf = (hold: Hold): KeyAccount | undefined => (hold.apiKeyId === null ? undefined : keys.get(hold.apiKeyId));

  const availableOf = (userId: number): number => {
    const account = users.get(userId);
    return account === undefined ? 0 : account.balance - account.held;
  };

  return {
    user: (userId) => users.get(userId),
    getAvailable: availableOf,
    findShortage(hold) {
      if (hold.isOwed === true) return undefined;
      const account = users.get(hold.userId);
      const available = availableOf(hold.userId);
      if (account?.hasDiscrepancy === true) return { short: 'alarm', available };
      if (account === undefined || available < hold.amount) return { short: 'user', available };
      return findKeyShortage(hold, keyOf(hold), nowSeconds(clock));
    },
    reserve(hold, direction) {
      const account = users.get(hold.userId);
      if (account !== undefined) account.held += direction * hold.amount;
      const key = keyOf(hold);
      if (key !== undefined) key.held += direction * hold.amount;
    },
    spend(hold, points, at) {
      const account = users.get(hold.userId);
      if (account !== undefined) account.balance -= points;
      const key = keyOf(hold);
      if (key === undefined) return;
      if (hold.limited) key.remaining -= points;
      key.use.add(points, at);
    },
    forgetUser: (userId) => users.forget(userId),
    forgetKey: (apiKeyId) => keys.forget(apiKeyId),
    forgetAll() {
      users.forgetAll();
      keys.forgetAll();
    },
    get isFull() {
      return Math.max(users.size, keys.size) > ACCOUNTS_MAX;
    },
  };
}

/** Returns the key's shortage for a hold. Open holds count towards the current period, since they may end in it. */
function findKeyShortage(hold: Hold, key: KeyAccount | undefined, now: number): Shortage | undefined {
  if (hold.limited) {
    const available = key === undefined ? 0 : key.remaining - key.held;
    if (key === undefined || available < hold.amount) return { short: 'key', available };
  }
  if (hold.budgets === undefined || key === undefined) return undefined;
  for (const period of PERIODS) {
    const budget = hold.budgets[period];
    if (budget === null) continue;
    const available = budget - key.use.usedIn(period, now) - key.held;
    if (available < hold.amount) return { short: period, available, resetsAt: getPeriodEnd(period, now) };
  }
  return undefined;
}

interface AccountCache<A> {
  readonly size: number;
  get(id: number): A | undefined;
  forget(id: number): void;
  forgetAll(): void;
}

function createAccountCache<A>(read: (id: number) => A | undefined): AccountCache<A> {
  const known = new Map<number, A>();
  return {
    get size() {
      return known.size;
    },
    get(id) {
      const account = known.get(id);
      if (account !== undefined) return account;
      const stored = read(id);
      if (stored !== undefined) known.set(id, stored);
      return stored;
    },
    forget: (id) => void known.delete(id),
    forgetAll: () => known.clear(),
  };
}
