/** Queries on third-party identities; no other file contains any. */
import { type IdentityProvider, identityProvider } from '@switchyard/contract/accounts/identities';
import type { Kysely, Selectable } from 'kysely';
import type { Schema } from '../../schema.ts';
import type { ProviderUser } from './identity-provider.ts';
import type { IdentityTable } from './table.ts';

/** The only key: mail addresses and names do not identify a user. */
export type IdentityKey = Pick<ProviderUser, 'issuer' | 'subject'> & { provider: IdentityProvider };

type Db = Kysely<Schema>;

/** Finds the account of an identity, whatever its state. */
export function findIdentityOwner(db: Db, { provider, issuer, subject }: IdentityKey) {
  return db
    .selectFrom('identity')
    .innerJoin('user', 'user.id', 'identity.user_id')
    .select(['user.id', 'user.status', 'user.deleted_time'])
    .where('provider', '=', provider)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
}

export async function insertIdentity(db: Db, row: IdentityTable): Promise<void> {
  await db.insertInto('identity').values(row).execute();
}

/** Updates the displayed name, since users may rename themselves at the provider. */
export async function updateLabel(db: Db, key: IdentityKey, label: string): Promise<void> {
  await db
    .updateTable('identity')
    .set({ label })
    .where('provider', '=', key.provider)
    .where('issuer', '=', key.issuer)
    .where('subject', '=', key.subject)
    .where('label', '<>', label)
    .execute();
}

/** Lists the identities for sign-in, without Telegram's, which only connects the bot. */
export function listUserIdentities(db: Db, userId: number): Promise<Selectable<IdentityTable>[]> {
  return db
    .selectFrom('identity')
    .selectAll()
    .where('user_id', '=', userId)
    .where('provider', 'in', identityProvider.options)
    .orderBy('created_time')
    .execute();
}

/** @returns whether there was one */
export async function deleteIdentity(db: Db, userId: number, provider: IdentityProvider): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('identity')
    .where('user_id', '=', userId)
    .where('provider', '=', provider)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
