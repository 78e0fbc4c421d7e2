/** What users and keys can spend, in memory: the committed rows plus what waits for the next commit. */
import type { DatabaseSync } from 'node:sqlite';

export interface UserAccount {
  balance: number;
  held: number;
}
export interface KeyAccount {
  remaining: number;
  held: number;
}

export interface Accounts {
  user(userId: number): UserAccount | undefined;
  key(apiKeyId: number): KeyAccount | undefined;
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
  return {
    user(userId) {
      const known = users.get(userId);
      if (known !== undefined) return known;
      const row = readUser.get(userId);
      if (row === undefined) return undefined;
      const account = { balance: Number(row['balance']), held: Number(row['held']) };
      users.set(userId, account);
      return account;
    },
    key(apiKeyId) {
      const known = keys.get(apiKeyId);
      if (known !== undefined) return known;
      const row = readKey.get(apiKeyId);
      if (row === undefined) return undefined;
      const account = { remaining: Number(row['remaining']), held: Number(row['held']) };
      keys.set(apiKeyId, account);
      return account;
    },
    forgetUser: (userId) => users.delete(userId),
    forgetKey: (apiKeyId) => keys.delete(apiKeyId),
    forgetAll() {
      users.clear();
      keys.clear();
    },
  };
}
