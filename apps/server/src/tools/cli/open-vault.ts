/** The vault as a command needs it: of what is there, making nothing. */
import type { Kysely } from 'kysely';
import { readKeyRing } from '../../db/key-ring.ts';
import { type KeySource, loadMasterKey, loadOldMasterKey } from '../../platform/secrets/master-key.ts';
import type { Vault } from '../../platform/secrets/vault.ts';
import type { Schema } from '../../schema.ts';

/** @throws when there is no master key, neither in MASTER_KEY nor beside the database, or not the right one */
export function openVault(source: KeySource, db: Kysely<Schema>): Promise<Vault> {
  return readKeyRing(db, { current: loadMasterKey(source), old: loadOldMasterKey(source) });
}
