/** What users and keys can spend, in memory: the committed rows plus what waits for the next commit. */
import type { DatabaseSync } from 'node:sqlite';
import type { Hold } from './movement.ts';

interface UserAccount {
  balance: number;
  held: number;
}
interface KeyAccount {
  remaining: number;
  held: number;
}

export interface Accounts {
  user(userId: number): UserAccount | undefined;
  key(apiKeyId: number): KeyAccount | undefined;
  /** Who is too short for this hold, and what they can spend; undefined when it fits. */
  shortOf(hold: Hold): { short: 'user' | 'key'; available: number } | undefined;
  /** Adds a hold's amount to what is held, or takes it back. */
  reserve(hold: Hold, direction: 1 | -1): void;
  spend(hold: Hold, points: number): void;
  /** Forgets what is in memory; the next look reads the rows again. */
  forgetUser(userId: number): void;
  forgetKey(apiKeyId: number): void;
  forgetAll(): void;
}

/** Reads synchronously on the writing connection, only on the first look at an account. */
export function createAccounts(connection: DatabaseSync): Accounts {
  const readUser = connection.prepare('select balance, held from user_account where user_id = ?');
  const readKey = connection.prepare('select remaining, held from key_account where api_key_id = ?');
  const users = new Map<number, UserAccount>();
  const keys = new Map<number, KeyAccount>();
  const user = (userId: number): UserAccount | undefined => {
    const known = users.get(userId);
    if (known !== undefined) return known;
    const row = readUser.get(userId);
    if (row === undefined) return undefined;
    const account = { balance: Number(row['balance']), held: Number(row['held']) };
    users.set(userId, account);
    return account;
  };
  const key = (apiKeyId: number): KeyAccount | undefined => {
    const known = keys.get(apiKeyId);
    if (known !== undefined) return known;
    const row = readKey.get(apiKeyId);
    if (row === undefined) return undefined;
    const account = { remaining: Number(row['remaining']), held: Number(row['held']) };
    keys.set(apiKeyId, account);
    return account;
  };
  const limitOf = (hold: Hold): KeyAccount | undefined =>
    hold.limited && hold.apiKeyId !== null ? key(hold.apiKeyId) : undefined;

  return {
    user,
    key,
    shortOf(hold) {
      const account = user(hold.userId);
      const available = account === undefined ? 0 : account.balance - account.held;
      if (account === undefined || available < hold.amount) return { short: 'user', available };
      if (!hold.limited) return undefined;
      const limit = limitOf(hold);
      const left = limit === undefined ? 0 : limit.remaining - limit.held;
      return limit === undefined || left < hold.amount ? { short: 'key', available: left } : undefined;
    },
    reserve(hold, direction) {
      const account = user(hold.userId);
      if (account !== undefined) account.held += direction * hold.amount;
      const ofKey = hold.apiKeyId === null ? undefined : key(hold.apiKeyId);
      if (ofKey !== undefined) ofKey.held += direction * hold.amount;
    },
    spend(hold, points) {
      const account = user(hold.userId);
      if (account !== undefined) account.balance -= points;
      const limit = limitOf(hold);
      if (limit !== undefined) limit.remaining -= points;
    },
    forgetUser: (userId) => users.delete(userId),
    forgetKey: (apiKeyId) => keys.delete(apiKeyId),
    forgetAll() {
      users.clear();
      keys.clear();
    },
  };
}
