import type { Config } from '../../config.ts';
import { hasMasterKey, loadMasterKey, loadOldMasterKey } from '../../platform/secrets/master-key.ts';
import type { BackupSecrets } from './backup-key.ts';

/** All that a backup may be sealed with, as far as this machine has it. */
export function backupSecrets(config: Config): BackupSecrets {
  const old = loadOldMasterKey(config);
  const masterKeys = [
    ...(hasMasterKey(config) ? [loadMasterKey(config)] : []),
    ...(old === undefined ? [] : [old]),
  ];
  return { passphrase: config.backupPassphrase, masterKeys };
}
