/** Passwords that users bring along from another installation, until they sign in for the first time. */
import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context.ts';
import type { Schema } from '../../schema.ts';

/** One of them, as long as there is any: whoever signs in waits as long as its owner, so that the time tells nothing. */
export async function anyOldHash(db: Kysely<Schema>): Promise<string | undefined> {
  const found = await db
    .selectFrom('user')
    .select('password_hash')
    // As its index has it.
    .where(sql<boolean>`password_hash like '$2%'`)
    .limit(1)
    .executeTakeFirst();
  return found?.password_hash;
}

/** Unless somebody has set another password meanwhile. */
export async function renewHash(
  { db }: Pick<Context, 'db'>,
  userId: number,
  old: string,
  hash: string,
): Promise<void> {
  await db.writer
    .updateTable('user')
    .set({ password_hash: hash })
    .where('id', '=', userId)
    .where('password_hash', '=', old)
    .execute();
}
