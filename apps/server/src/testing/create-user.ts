/** Creates accounts for tests, without the routes. */
import { argon2Sync, randomBytes } from 'node:crypto';
import type { UserId } from '@switchyard/contract/ids';
import type { Role } from '@switchyard/contract/wire-enums';
import { identifyCaller } from '../accounts/authentication/authentication.ts';
import { createAccount } from '../accounts/users/users.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../platform/http/caller.ts';
import type { Visitor } from './visitor.ts';

export interface SignedInUser extends Visitor {
  id: UserId;
  username: string;
  password: string;
}

export interface NewUser {
  username?: string;
  group?: string;
  /** Points of its balance; 0 when absent. */
  quota?: number;
  /** Hashes the password at its real cost, for tests of that cost. */
  isHashedFully?: boolean;
}

/** Returns a function that creates accounts of one server with unique names, and signs them in. */
export function createUsers(
  ctx: Context,
  signIn: (account: Pick<SignedInUser, 'id' | 'username' | 'password'>) => Promise<Visitor>,
): (role: Role, options?: NewUser) => Promise<SignedInUser> {
  let accounts = 0;
  return async (role, { username, group = 'default', quota = 0, isHashedFully = false } = {}) => {
    accounts += 1;
    const name = username ?? `${role}-${accounts}`;
    const password = `password of ${name}`;
    const id = isHashedFully
      ? await createAccount(ctx, { username: name, password, role, group })
      : await createAccount(ctx, { username: name, role, group }, async (trx, userId) => {
          const password_hash = hashCheaply(password);
          await trx.updateTable('user').set({ password_hash }).where('id', '=', userId).execute();
        });
    if (quota !== 0) await creditBalance(ctx, id, quota);
    const account = { id, username: name, password };
    return { ...account, ...(await signIn(account)) };
  };
}

/** Returns the caller of a request with the user's session. */
export async function findCaller(ctx: Context, { identity }: Pick<SignedInUser, 'identity'>): Promise<Caller> {
  const caller = await identifyCaller(ctx, { cookie: identity['cookie'] ?? '' }, false);
  if (caller === undefined) throw new Error('The session of this user has ended');
  return caller;
}

/** Hashes a password in the format of `hashPassword`, at the lowest cost that Argon2 allows. */
function hashCheaply(password: string): string {
  const nonce = randomBytes(16);
  const cost = { memory: 8, passes: 1, parallelism: 1, tagLength: 32 };
  const hash = argon2Sync('argon2id', { message: Buffer.from(password), nonce, ...cost });
  const [salt, tag] = [nonce, hash].map((bytes) => bytes.toString('base64').replace(/=+$/, ''));
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${salt}$${tag}`;
}

async function creditBalance(ctx: Context, userId: number, amount: number): Promise<void> {
  await ctx.ledger.transaction((_trx, moves) =>
    moves.post({ kind: 'top-up', ref: `test:${userId}`, userId, amount, note: '' }),
  );
}
