/** Backs the database up to a file, and restores it. */
import { randomBytes } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type FileHandle, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import type { Config } from '../../config.ts';
import { copyDatabase, removeDatabase, requireIntactCopy } from '../../db/sqlite/copy-database.ts';
import { lockBackups } from '../../platform/data-folder-lock.ts';
import { createDiskSpaceGuard, type ReadDiskStats, readDiskStats } from '../../platform/disk-space.ts';
import { hasMasterKey, loadMasterKey, loadOldMasterKey } from '../../platform/secrets/master-key.ts';
import { encryptStream, withOpenFile } from '../../platform/secrets/sealed-file.ts';
import { version } from '../../platform/version.ts';
import { type BackupHead, type BackupSecrets, createBackupKey, readContent } from './backup-key-and-header.ts';

export type { BackupSecrets } from './backup-key-and-header.ts';
export { readBackupHead } from './backup-key-and-header.ts';

export { checkSchema } from './check-backup-schema.ts';
export { type BackupSchedule, createScheduledBackup } from './scheduled-backups.ts';
export { isSqliteFile, unpackBackup, verifyBackup } from './unpack-and-verify-backup.ts';

export interface BackupPlan {
  databaseFile: string;
  /** Folder, in which the backup gets a generated name, or a file that does not exist yet. */
  target: string;
  /** Undefined for a plain SQLite file. */
  secrets: BackupSecrets | undefined;
  /** UTC seconds. */
  now: number;
  disk?: ReadDiskStats;
}

const PARTIAL = '.partial';
const READ_BYTES = 1_048_576;
/** Takes half the time of the default level, for files of nearly the same size. */
const ZSTD_LEVEL = 1;

/**
 * Creates a backup while the server runs. Leftovers of a killed run are removed by the next; those of other
 * installations, which may use the same folder, are not touched.
 * @returns the file. @throws DiskFullError, and when the database is damaged, since such a backup could not be restored
 */
export async function createBackup(plan: BackupPlan): Promise<string> {
  const { databaseFile, secrets, now, disk = readDiskStats } = plan;
  const target = chooseFileName(plan.target, secrets === undefined ? 'db' : 'backup', now);
  requireFree(target);
  const release = lockBackups(dirname(databaseFile));
  const partial = `${target}.${randomBytes(4).toString('hex')}${PARTIAL}`;
  const record = join(dirname(databaseFile), 'backup.unfinished');
  const copy = secrets === undefined ? partial : join(dirname(databaseFile), 'backup.tmp');
  try {
    removeRecordedPartial(record);
    writeFileSync(record, partial, { mode: 0o600 });
    await copyDatabase(databaseFile, copy, disk);
    requireIntactCopy(copy);
    if (secrets !== undefined) await writeSealedBackup(copy, partial, secrets, now, disk);
    await withOpenFile(partial, 'r+', (handle) => handle.sync());
    // Another installation may have taken the name meanwhile.
    requireFree(target);
    await rename(partial, target);
    return target;
  } finally {
    removeDatabase(copy);
    rmSync(partial, { force: true });
    rmSync(record, { force: true });
    release();
  }
}

function chooseFileName(target: string, ending: string, now: number): string {
  const isFolder = target.endsWith('/') || statSync(target, { throwIfNoEntry: false })?.isDirectory() === true;
  const folder = isFolder ? target : dirname(target);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stamp = new Date(now * 1000).toISOString().replace(/[-:]|\.\d+/g, '');
  return join(folder, isFolder ? `switchyard-${stamp}.${ending}` : basename(target));
}

/** @throws when the file exists */
function requireFree(target: string): void {
  if (existsSync(target)) throw new Error(`There is already a file ${target}`);
}

/** Removes the partial file of a killed run, whose path the run has recorded in the data folder. */
function removeRecordedPartial(record: string): void {
  if (!existsSync(record)) return;
  const partial = readFileSync(record, 'utf8');
  if (partial.endsWith(PARTIAL)) removeDatabase(partial);
}

async function writeSealedBackup(
  copy: string,
  target: string,
  secrets: BackupSecrets,
  now: number,
  disk: ReadDiskStats,
): Promise<void> {
  const { description, key } = await createBackupKey(secrets);
  const head: BackupHead = {
    format: 'switchyard-backup',
    format_version: 1,
    version,
    created_at: now,
    ...readCopyContent(copy),
    database_bytes: statSync(copy).size,
    key: description,
  };
  const takeRoom = createDiskSpaceGuard(dirname(target), disk);
  const compress = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL } });
  await withOpenFile(target, 'wx', (output) =>
    pipeline(
      createReadStream(copy, { highWaterMark: READ_BYTES }),
      compress,
      (chunks: AsyncIterable<Buffer>) => encryptStream(JSON.stringify(head), key, chunks),
      (pieces: AsyncIterable<Buffer>) => writeChunks(output, pieces, takeRoom),
    ),
  );
}

async function writeChunks(
  output: FileHandle,
  pieces: AsyncIterable<Buffer>,
  takeRoom: (bytes: number) => void,
): Promise<void> {
  for await (const piece of pieces) {
    takeRoom(piece.length);
    await output.writeFile(piece);
  }
}

function readCopyContent(copy: string): Pick<BackupHead, 'migration' | 'counts'> {
  const connection = new DatabaseSync(copy, { readOnly: true });
  try {
    return readContent(connection);
  } finally {
    connection.close();
  }
}

/** Reads all secrets for backups that this machine has. */
export function readBackupSecrets(config: Config): BackupSecrets {
  const old = loadOldMasterKey(config);
  const masterKeys = [...(hasMasterKey(config) ? [loadMasterKey(config)] : []), ...(old === undefined ? [] : [old])];
  return { passphrase: config.backupPassphrase, masterKeys };
}
