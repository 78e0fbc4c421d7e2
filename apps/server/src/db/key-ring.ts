/**
 * Opens the data keys of this installation with its master key. A start with another master key fails here, before
 * anything is changed.
 */
import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import { type MasterKeys, unwrapKey, wrapKey } from '../platform/secrets/master-key.ts';
import { KEY_BYTES } from '../platform/secrets/sealed-box.ts';
import { createVault, type DataKey, type Vault } from '../platform/secrets/vault.ts';
import type { Schema } from '../schema.ts';
import type { Database } from './open-database.ts';

/**
 * Name of the row in which versions without data keys stored a text sealed by their master key. No setting has this
 * name.
 */
const CHECK = 'master-key-check';

/** Returns whether this database has sealed secrets, so that only their master key is of use. */
export async function isVaultInitialized({ writer }: Pick<Database, 'writer'>): Promise<boolean> {
  const key = await writer.selectFrom('data_key').select('id').limit(1).executeTakeFirst();
  return key !== undefined || (await readCheck(writer)) !== undefined;
}

/**
 * Creates the first data key, or rewraps the keys that only the old master key opens.
 * @param now UTC seconds
 * @throws if the stored secrets were sealed with another master key
 */
export async function openKeyRing(
  db: Database,
  masters: MasterKeys,
  now: number,
): Promise<{ vault: Vault; rewrapped: number }> {
  const readRows = () => db.writer.selectFrom('data_key').selectAll().execute();
  let rows = await readRows();
  if (rows.length === 0) {
    const vault = await createFirstKey(db, masters, now);
    if (vault !== undefined) return { vault, rewrapped: 0 };
    rows = await readRows();
  }
  const opened = rows.map(({ id, sealed }) => ({ id, ...unwrapDataKey(masters, id, sealed) }));
  const stale = opened.filter(({ isStale }) => isStale);
  if (stale.length > 0)
    await db.writer.transaction().execute(async (trx) => {
      for (const { id, secret } of stale)
        await trx
          .updateTable('data_key')
          .set({ sealed: wrapKey(masters.current, id, secret) })
          .where('id', '=', id)
          .execute();
    });
  return { vault: createVault(masters.current, opened), rewrapped: stale.length };
}

/** Reads the key ring, for commands that don't write. @throws like `openKeyRing` */
export async function readKeyRing(db: Kysely<Schema>, masters: MasterKeys): Promise<Vault> {
  const rows = await db.selectFrom('data_key').selectAll().execute();
  if (rows.length === 0) throw new Error('The database has no data keys yet. Start the server once.');
  const keys = rows.map(({ id, sealed }) => ({ id, secret: unwrapDataKey(masters, id, sealed).secret }));
  return createVault(masters.current, keys);
}

function unwrapDataKey(
  { current, old, source }: MasterKeys,
  id: number,
  sealed: string,
): { secret: Buffer; isStale: boolean } {
  try {
    return { secret: unwrapKey(current, id, sealed), isStale: false };
  } catch (error) {
    if (old === undefined) throw wrongMasterKeyError(source, error);
  }
  try {
    return { secret: unwrapKey(old, id, sealed), isStale: true };
  } catch (error) {
    throw wrongMasterKeyError(source, error);
  }
}

/**
 * Creates a random key. If secrets are sealed already, it uses their master key instead, so that they still open
 * after the master key changes, and API keys are still found. Returns undefined if another node was first.
 */
async function createFirstKey(db: Database, masters: MasterKeys, now: number): Promise<Vault | undefined> {
  const check = await readCheck(db.writer);
  const secret = check === undefined ? randomBytes(KEY_BYTES) : findSealingKey(masters, check.value);
  const key: DataKey = { id: 0, secret };
  const isFirst = await db.writer.transaction().execute(async (trx) => {
    const inserted = await trx
      .insertInto('data_key')
      .values({ id: 0, sealed: wrapKey(masters.current, 0, secret), created_time: now })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst();
    await trx.deleteFrom('setting').where('name', '=', CHECK).execute();
    return inserted !== undefined;
  });
  return isFirst ? createVault(masters.current, [key]) : undefined;
}

function readCheck(db: Kysely<Schema>): Promise<{ value: string } | undefined> {
  return db.selectFrom('setting').select('value').where('name', '=', CHECK).executeTakeFirst();
}

function findSealingKey({ current, old, source }: MasterKeys, check: string): Buffer {
  let cause: unknown;
  for (const secret of old === undefined ? [current] : [current, old]) {
    try {
      createVault(secret, [{ id: 0, secret }]).open(CHECK, CHECK, check);
      return secret;
    } catch (error) {
      cause = error;
    }
  }
  throw wrongMasterKeyError(source, cause);
}

function wrongMasterKeyError(source: string, cause: unknown): Error {
  return new Error(
    `The master key in ${source} does not match this database. Restore the one that the database was created with, or set MASTER_KEY to it.`,
    { cause },
  );
}
