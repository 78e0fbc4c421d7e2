/** Ties a database to its master key, so that a start with another key stops before anything is changed. */
import type { Vault } from '../platform/vault.ts';
import type { Database } from './db.ts';

/** A row that no setting is named like. */
const ROW = 'master-key-check';
const TEXT = 'switchyard';

/** @throws when the stored secrets were sealed with another key */
export async function checkMasterKey(db: Database, vault: Vault): Promise<void> {
  const row = await db.writer
    .selectFrom('setting')
    .select('value')
    .where('name', '=', ROW)
    .executeTakeFirst();
  if (row === undefined) {
    await db.writer
      .insertInto('setting')
      .values({ name: ROW, value: vault.seal('master-key-check', ROW, TEXT) })
      .execute();
    return;
  }
  try {
    vault.open('master-key-check', ROW, row.value);
  } catch (error) {
    throw new Error(
      'The master key does not fit this database. Restore master.key, or set MASTER_KEY to the key that it was made with',
      {
        cause: error,
      },
    );
  }
}
