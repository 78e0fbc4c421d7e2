/** Finds accounts by user input, and the language of their mails. */
import { type Language, parseLanguage } from '@switchyard/contract/accounts/account';
import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context.ts';
import { equalsIgnoringCase } from '../../db/paging.ts';
import type { Schema } from '../../schema.ts';

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
