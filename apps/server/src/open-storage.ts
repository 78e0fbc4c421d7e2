/** Opens the data folder and the database, for a node, or for a command while no server runs. */
import type { Config } from './config.ts';
import { type DatabaseClock, openDatabaseClock } from './db/database-clock.ts';
import { isVaultInitialized, openKeyRing } from './db/key-ring.ts';
import { type Database, getDatabaseFile, openDatabase } from './db/open-database.ts';
import { type Clock, nowSeconds, systemClock } from './platform/clock.ts';
import { type DataFolder, lockDataFolder } from './platform/data-folder-lock.ts';
import type { Log } from './platform/log.ts';
import { createKeyFile, hasMasterKey, loadMasterKeys } from './platform/secrets/master-key.ts';
import type { Vault } from './platform/secrets/vault.ts';

export interface OpenedStorage {
  folder: DataFolder;
  vault: Vault;
  db: Database;
  /** Clock of the database that several nodes share; undefined if this node uses its machine's. */
  databaseClock: DatabaseClock | undefined;
  clock: Clock;
}

/** Clocks that tests set in place of the machine's. */
export interface ClockOverrides {
  /** Clock for everything, regardless of the database's clock. */
  clock?: Clock;
  /** Machine's clock, by which nodes detect a dead node. */
  machineClock?: Clock;
}

/** Option of a command whose only transaction waits for the source that it reads from; a node never sets it. */
interface MigrationOptions {
  isPatient?: boolean;
}

/**
 * Creates the missing parts. If a part fails, the others are closed again.
 * @throws if another process uses the folder
 */
export async function openStorage(
  config: Config,
  log: Log,
  options: ClockOverrides & MigrationOptions = {},
): Promise<OpenedStorage> {
  const folder = lockDataFolder(config.dataDir);
  let db: Database | undefined;
  try {
    const database = config.databaseUrl ?? getDatabaseFile(config.dataDir);
    const replica = config.replica && { ...config.replica, log };
    const { machineClock = systemClock } = options;
    const upgrade = { copyFirst: config.backupBeforeUpgrade, isPatient: options.isPatient };
    db = await openDatabase(database, upgrade, replica, machineClock);
    const databaseClock = options.clock === undefined ? await openDatabaseClock(db, log, machineClock) : undefined;
    const clock = options.clock ?? databaseClock ?? machineClock;
    // A new key could not decrypt the secrets of an existing database.
    if (!hasMasterKey(config) && !(await isVaultInitialized(db))) createKeyFile(config.dataDir);
    const masters = loadMasterKeys(config);
    const { vault, rewrapped } = await openKeyRing(db, masters, nowSeconds(clock));
    if (rewrapped > 0) log.info({ data_keys: rewrapped }, 'the data keys were re-encrypted with the new master key');
    return { folder, vault, db, databaseClock, clock };
  } catch (error) {
    await db?.close();
    folder.release();
    throw error;
  }
}
