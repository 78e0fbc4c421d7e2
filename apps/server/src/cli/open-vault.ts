/** The vault as a command needs it: of what is there, making nothing. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createVault, loadMasterKey, type Vault } from '../platform/vault.ts';

/** @throws when there is no master key: neither in MASTER_KEY nor beside the database */
export function openVault({ dataDir, masterKey }: { dataDir: string; masterKey: string | undefined }): Vault {
  if (masterKey === undefined && !existsSync(join(dataDir, 'master.key')))
    throw new Error('There is no master key; set MASTER_KEY as it is set for the server');
  return createVault(loadMasterKey(dataDir, masterKey));
}
