/** Creates accounts, and checks the rules for names. */
import { type Language, parseLanguage } from '@switchyard/contract/accounts/account-fields';
import type { UserId } from '@switchyard/contract/ids';
import type { Role } from '@switchyard/contract/wire-enums';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Context } from '../../context.ts';
import { equalsIgnoringCase } from '../../db/paging.ts';
import type { Postings } from '../../ledger/ledger.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError, alreadyExists } from '../../platform/http/app-error.ts';
import { normalizeMailbox } from '../../platform/normalize-mailbox.ts';
import { hashPassword } from '../../platform/secrets/password-hashing.ts';
import type { Schema } from '../../schema.ts';
import { recordReward, shouldRewardInviter } from '../invitations/invitations.ts';

/** Opening balance of the first account, so that its first call works: 200 USD. */
const ROOT_OPENING_POINTS = 100_000_000;

export interface NewAccount {
  username: string;
  /** Absent for an account with third-party sign-in only. */
  password?: string;
  group: string;
  display_name?: string;
  email?: string;
  /** True if the address was verified, and no other account has it. */
  emailIsProven?: boolean;
  inviterId?: number | undefined;
  /** Language of the mails to this user; empty for the site's. */
  language?: string;
  avatar_url?: string;
  /** Identity of the person, if it is not a verified address: each person gets a gift once. */
  giftIdentity?: string;
  /** False for an account without the gift for new users; absent: with it. */
  hasWelcomeGift?: boolean;
}

/**
 * Creates an account, usually with the gift for new users; root gets an opening balance as well.
 * @param also runs within the same transaction
 * @throws AppError `already-exists` for a name or a verified address in use, `set-up-done` for a second root
 */
export async function createAccount(
  ctx: Context,
  account: NewAccount & { role: Role },
  also?: (trx: Transaction<Schema>, userId: UserId) => Promise<void>,
): Promise<UserId> {
  const passwordHash = account.password === undefined ? '' : await hashPassword(account.password);
  const userId = await ctx.ledger.transaction(async (trx, moves) => {
    if (account.role === 'root' && (await rootExists(trx)))
      throw new AppError('set-up-done', 'The root account already exists');
    await checkNameIsFree(trx, account.username);
    if (account.emailIsProven === true) await checkEmailIsFree(trx, account.email ?? '');
    const now = nowSeconds(ctx.clock);
    const { id } = await trx
      .insertInto('user')
      .values({
        username: account.username,
        password_hash: passwordHash,
        display_name: account.display_name ?? '',
        email: account.email ?? '',
        email_verified_time: account.emailIsProven === true ? now : null,
        inviter_id: account.inviterId ?? null,
        language: account.language ?? '',
        avatar_url: account.avatar_url ?? '',
        role: account.role,
        status: 'enabled',
        group_symbol: account.group,
        created_time: now,
        role_since: now,
        // A new balance starts low, which needs no mail.
        low_balance_told: 1,
        last_login_time: 0,
        last_login_ip: '',
        deleted_time: null,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await openAccount(ctx, trx, moves, id, account);
    await also?.(trx, id as UserId);
    return id as UserId;
  });
  await ctx.changes.publish({ topic: 'users', ids: [userId] });
  return userId;
}

async function openAccount(
  ctx: Context,
  trx: Transaction<Schema>,
  moves: Postings,
  newUserId: number,
  { role, inviterId, ...account }: NewAccount & { role: Role },
): Promise<void> {
  const { settings, vault } = ctx;
  await moves.openUserAccount(newUserId);
  const person =
    account.giftIdentity ?? (account.emailIsProven === true ? normalizeMailbox(account.email ?? '') : undefined);
  const key = person === undefined ? newUserId : vault.fingerprint(`gift:${person}`);
  /** Gives each gift once per person, even after an account was deleted and created again. @returns its reference */
  const gift = async (what: string, amount: number, note: string, userId = newUserId): Promise<string | undefined> => {
    const ref = `${what}:${key}`;
    if (amount === 0 || (await wasGiftGiven(trx, ref))) return undefined;
    await moves.post({ kind: 'gift', ref, userId, amount, note });
    return ref;
  };
  if (account.hasWelcomeGift !== false) await gift('new-user', settings.quotaForNewUser, 'Welcome gift');
  if (role === 'root') await gift('opening', ROOT_OPENING_POINTS, 'Opening balance');
  if (inviterId === undefined) return;
  await gift('invitee', settings.quotaForInvitee, 'Gift for being invited');
  if (!(await shouldRewardInviter(ctx, trx, inviterId, person !== undefined))) return;
  const points = settings.quotaForInviter;
  const ref = await gift('inviter', points, 'Gift for an invitation', inviterId);
  if (ref !== undefined)
    await recordReward(ctx, trx, { ref, what: 'invitation', inviter_id: inviterId, invitee_id: newUserId, points });
}

async function wasGiftGiven(trx: Transaction<Schema>, ref: string): Promise<boolean> {
  const entry = await trx
    .selectFrom('ledger_entry')
    .select('ref')
    .where('kind', '=', 'gift')
    .where('ref', '=', ref)
    .executeTakeFirst();
  return entry !== undefined;
}

/** @throws AppError `already-exists` */
export async function checkNameIsFree(db: Kysely<Schema>, username: string, except?: number): Promise<void> {
  const holder = await findUserByUsername(db, username);
  if (holder === undefined || holder.id === except) return;
  throw alreadyExists('username', `The username ${username} is already taken`);
}

export function findUserByUsername(db: Kysely<Schema>, username: string): Promise<{ id: number } | undefined> {
  return db.selectFrom('user').select('id').where(equalsIgnoringCase('username', username)).executeTakeFirst();
}

/**
 * Checks that no other account has an address that is being verified, verified or not.
 * @throws AppError `already-exists`
 */
export async function checkEmailIsFree(db: Kysely<Schema>, email: string, except?: number): Promise<void> {
  const holders = await selectAccountByMail(db, email).select('id').limit(2).execute();
  if (holders.every(({ id }) => id === except)) return;
  throw alreadyExists('email', 'Another account already uses this email address');
}

/** Root is the first account, so this query ends at the first row. */
export async function rootExists(db: Kysely<Schema>): Promise<boolean> {
  const root = await db.selectFrom('user').select('id').where('role', '=', 'root').limit(1).executeTakeFirst();
  return root !== undefined;
}

/**
 * Finds the account of a mail address: the one that has verified it, else the only one that has it. Other accounts
 * can only have a verified address if an administrator entered it.
 */
export async function findAccountByMail(db: Kysely<Schema>, email: string) {
  const holders = await selectAccountByMail(db, email)
    .select(accountColumns)
    .orderBy(sql`email_verified_time is null`)
    .limit(2)
    .execute();
  const [first, second] = holders;
  return first?.email_verified_time === null && second !== undefined ? undefined : first;
}

/** Finds an account by what the user typed to sign in: a name or a mail address. No name contains an `@`. */
export async function findAccountByLogin(db: Kysely<Schema>, login: string) {
  if (login.includes('@')) return findAccountByMail(db, login);
  return db
    .selectFrom('user')
    .select(accountColumns)
    .where(equalsIgnoringCase('username', login))
    .where('deleted_time', 'is', null)
    .executeTakeFirst();
}

const accountColumns = ['id', 'password_hash', 'status', 'role', 'email', 'email_verified_time', 'language'] as const;

export const selectAccountByMail = (db: Kysely<Schema>, email: string) =>
  db.selectFrom('user').where(sql`lower(email)`, '=', email.toLowerCase()).where('deleted_time', 'is', null);

/** Returns the language of a user's mails. */
export function chooseMailLanguage({ settings }: Context, language: string): Language {
  return parseLanguage(language) ?? settings.language;
}
