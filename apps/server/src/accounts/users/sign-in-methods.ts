import { identityProvider } from '@switchyard/contract/accounts/identities';
import type { Kysely } from 'kysely';
import { AppError } from '../../platform/http/app-error.ts';
import type { Schema } from '../../schema.ts';

/**
 * An account that nobody can sign in to is lost.
 * @param db the transaction in which a way in was just taken away
 * @throws AppError `conflict` when it was the last one
 */
export async function checkWayInIsLeft(db: Kysely<Schema>, userId: number): Promise<void> {
  if (await hasWayIn(db, userId)) return;
  throw new AppError('conflict', 'This is the last sign-in method of the account. Add another one first.');
}

/** Returns whether the account has a sign-in method: a password, a passkey or a bound account elsewhere. */
async function hasWayIn(db: Kysely<Schema>, userId: number): Promise<boolean> {
  const found = await db
    .selectFrom('user')
    .select('id')
    .where('id', '=', userId)
    .where((eb) =>
      eb.or([
        eb('password_hash', '<>', ''),
        eb.exists(eb.selectFrom('passkey').select('id').where('user_id', '=', userId)),
        eb.exists(
          eb
            .selectFrom('identity')
            .select('subject')
            .where('user_id', '=', userId)
            .where('provider', 'in', identityProvider.options),
        ),
      ]),
    )
    .executeTakeFirst();
  return found !== undefined;
}
