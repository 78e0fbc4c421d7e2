/** How an account comes into being, and the rules that all names keep. */
import type { Role } from '@switchyard/contract/codes';
import type { UserId } from '@switchyard/contract/ids';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Context } from '../../context.ts';
import type { Schema } from '../../db/schema.ts';
import type { Moves } from '../../ledger/ledger.ts';
import { AppError, alreadyExists } from '../../platform/app-error.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { hashPassword } from '../../platform/password.ts';

export interface NewAccount {
  username: string;
  /** Absent: only an account elsewhere opens this one. */
  password?: string;
  group: string;
  display_name?: string;
  email?: string;
  /** Whether the mail address was proven to be the user's. */
  email_verified?: boolean;
  avatar_url?: string;
  inviter_id?: number;
}

/** Points that the first account can spend at once, so that its first call works: 200 USD. */
const ROOT_OPENING_POINTS = 100_000_000;

/**
 * Makes an account with the gift for new users; root gets an opening balance as well.
 * @param also what comes into being with the account, or not at all
 * @throws AppError `already-exists` for a name in use, `set-up-done` for a second root
 */
export async function createAccount(
  ctx: Context,
  account: NewAccount & { role: Role },
  also?: (trx: Transaction<Schema>, userId: UserId) => Promise<void>,
): Promise<UserId> {
  const passwordHash = account.password === undefined ? '' : await hashPassword(account.password);
  const userId = await ctx.ledger.transaction(async (trx, moves) => {
    if (account.role === 'root' && (await rootExists(trx)))
      throw new AppError('set-up-done', 'The root account exists already');
    await checkNameIsFree(trx, account.username);
    const { id } = await trx
      .insertInto('user')
      .values({
        username: account.username,
        password_hash: passwordHash,
        display_name: account.display_name ?? '',
        email: account.email ?? '',
        email_verified_time: account.email_verified === true ? nowSeconds(ctx.clock) : null,
        inviter_id: account.inviter_id ?? null,
        avatar_url: account.avatar_url ?? '',
        role: account.role,
        status: 'enabled',
        group_symbol: account.group,
        created_time: nowSeconds(ctx.clock),
        role_since: nowSeconds(ctx.clock),
        last_login_time: 0,
        last_login_ip: '',
        deleted_time: null,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await openAccount(ctx, moves, id, account.role);
    await also?.(trx, id as UserId);
    return id as UserId;
  });
  await ctx.changes.publish({ topic: 'users', ids: [userId] });
  return userId;
}

async function openAccount(ctx: Context, moves: Moves, userId: number, role: Role): Promise<void> {
  await moves.openUserAccount(userId);
  const gift = async (ref: string, amount: number, note: string): Promise<void> => {
    if (amount > 0) await moves.move({ kind: 'gift', ref: `${ref}:${userId}`, userId, amount, note });
  };
  await gift('new-user', ctx.settings.quotaForNewUser, 'Welcome gift');
  if (role === 'root') await gift('opening', ROOT_OPENING_POINTS, 'Opening balance');
}

/** @throws AppError `already-exists` */
export async function checkNameIsFree(
  trx: Transaction<Schema>,
  username: string,
  except?: number,
): Promise<void> {
  const taken = await trx
    .selectFrom('user')
    .select('id')
    .where(sql`lower(username)`, '=', username.toLowerCase())
    .executeTakeFirst();
  if (taken === undefined || taken.id === except) return;
  throw alreadyExists('username', `The name ${username} is in use`);
}

/**
 * A proven address belongs to one account.
 * @throws AppError `already-exists`
 */
export async function checkEmailIsFree(
  trx: Transaction<Schema>,
  email: string,
  except?: number,
): Promise<void> {
  const taken = await trx
    .selectFrom('user')
    .select('id')
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .where('email_verified_time', 'is not', null)
    .where('deleted_time', 'is', null)
    .executeTakeFirst();
  if (taken === undefined || taken.id === except) return;
  throw alreadyExists('email', 'This address belongs to another account');
}

/** Root is the first account, so that this look-up ends at the first row. */
export async function rootExists(db: Kysely<Schema>): Promise<boolean> {
  const root = await db
    .selectFrom('user')
    .select('id')
    .where('role', '=', 'root')
    .limit(1)
    .executeTakeFirst();
  return root !== undefined;
}
