import { openKeyRing } from '../../db/key-ring.ts';
import { openDatabase } from '../../db/open-database.ts';
import { appendEntry } from '../../operations/audit/audit.ts';
import { nowSeconds, systemClock } from '../../platform/clock.ts';
import { lockDataFolder } from '../../platform/data-folder-lock.ts';
import { loadMasterKeys, replaceKeyFile } from '../../platform/secrets/master-key.ts';
import { type Command, readParameters, requireDatabaseFile } from './command-and-database-access.ts';

/**
 * Puts a new key in `master.key` and rewraps the data keys. Rejected while a server runs, because it would continue
 * with the old key. After an interruption, the next start or run continues with the old key from `master.key.old`.
 */
export const rotateMasterKeyCommand: Command = {
  summary: 'puts a new key in master.key; stop the server first',
  async run(config, parameters) {
    readParameters(parameters, {}, 0);
    const file = requireDatabaseFile(
      config,
      'set MASTER_KEY to a new key and MASTER_KEY_OLD to the current one on every node, and restart the nodes one after the other',
    );
    if (config.masterKey !== undefined)
      throw new Error(
        'The master key is in MASTER_KEY: set MASTER_KEY to a new key and MASTER_KEY_OLD to the current one, and start the server',
      );
    const folder = lockDataFolder(config.dataDir);
    const db = await openDatabase(file, { copyFirst: config.backupBeforeUpgrade });
    const openKeys = () => openKeyRing(db, loadMasterKeys(config), nowSeconds(systemClock));
    try {
      // Completes an earlier interrupted run before its old key is removed.
      await openKeys();
      replaceKeyFile(config.dataDir);
      const { vault } = await openKeys();
      await db.writer
        .transaction()
        .execute((trx) =>
          appendEntry(trx, vault, {
            created_at: nowSeconds(systemClock),
            user_id: null,
            action: 'cli.rotate-master-key',
            target: 'master_key',
            detail: '{}',
            address: '',
            request_id: '',
          }),
        );
      console.log(
        'master.key contains a new key: back it up. Older backups can be decrypted only with master.key.old. Keep it with them, or delete it.',
      );
      return 0;
    } finally {
      await db.close();
      folder.release();
    }
  },
};
