/** The database as a file that is kept elsewhere, and back. */

import { createReadStream, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import type { Config } from '../../config.ts';
import { copyDatabase, removeDatabase } from '../../db/copy-database.ts';
import { claimBackups } from '../../platform/data-folder.ts';
import { type DiskOf, diskOf, requireRoomByPieces } from '../../platform/disk-space.ts';
import { hasMasterKey, loadMasterKey, loadOldMasterKey } from '../../platform/secrets/master-key.ts';
import { sealPieces } from '../../platform/secrets/sealed-file.ts';
import { version } from '../../platform/version.ts';
import { withFile } from '../../platform/with-file.ts';
import { type BackupHead, contentOf } from './backup-head.ts';
import { type BackupSecrets, newBackupKey } from './backup-key.ts';

export { readBackupHead } from './backup-head.ts';
export type { BackupSecrets } from './backup-key.ts';

export { checkSchema } from './check-schema.ts';
export { makeScheduledBackup, type ScheduledBackup } from './scheduled-backups.ts';
export { isDatabase, proveBackup, unpackBackup } from './unpack-backup.ts';

export interface BackupPlan {
  databaseFile: string;
  /** A folder, in which the backup gets a name of its own, or a file that there is not yet. */
  target: string;
  /** Undefined: a plain SQLite file. */
  secrets: BackupSecrets | undefined;
  /** UTC seconds. */
  now: number;
  disk?: DiskOf;
}

const OWN_NAME = /^switchyard-\d{8}T\d{6}Z\.(backup|db)$/;
const READ_BYTES = 1_048_576;
/** Half as long as the usual level, for files of nearly the same size. */
const ZSTD_LEVEL = 1;

/**
 * The server goes on meanwhile. What a killed run has left is removed by the next.
 * @returns the file @throws DiskFull
 */
export async function backUp(plan: BackupPlan): Promise<string> {
  const { databaseFile, secrets, now, disk = diskOf } = plan;
  const target = fileOf(plan.target, secrets === undefined ? 'db' : 'backup', now);
  if (existsSync(target)) throw new Error(`There is already a file ${target}`);
  const release = claimBackups(dirname(databaseFile));
  const partial = `${target}.partial`;
  const copy = secrets === undefined ? partial : join(dirname(databaseFile), 'backup.tmp');
  try {
    removeUnfinished(dirname(target));
    await copyDatabase(databaseFile, copy, disk);
    if (secrets !== undefined) await seal(copy, partial, secrets, now, disk);
    await withFile(partial, 'r+', (handle) => handle.sync());
    await rename(partial, target);
    return target;
  } finally {
    removeDatabase(copy);
    rmSync(partial, { force: true });
    release();
  }
}

function fileOf(target: string, ending: string, now: number): string {
  const isFolder =
    target.endsWith('/') || statSync(target, { throwIfNoEntry: false })?.isDirectory() === true;
  const folder = isFolder ? target : dirname(target);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stamp = new Date(now * 1000).toISOString().replace(/[-:]|\.\d+/g, '');
  return join(folder, isFolder ? `switchyard-${stamp}.${ending}` : basename(target));
}

function removeUnfinished(folder: string): void {
  for (const name of readdirSync(folder))
    if (name.endsWith('.partial') && OWN_NAME.test(name.slice(0, -'.partial'.length)))
      removeDatabase(join(folder, name));
}

async function seal(
  copy: string,
  target: string,
  secrets: BackupSecrets,
  now: number,
  disk: DiskOf,
): Promise<void> {
  const { mark, key } = await newBackupKey(secrets);
  const head: BackupHead = {
    format: 'switchyard-backup',
    format_version: 1,
    version,
    created_at: now,
    ...read(copy),
    database_bytes: statSync(copy).size,
    key: mark,
  };
  const takeRoom = requireRoomByPieces(dirname(target), disk);
  const compress = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL } });
  await withFile(target, 'wx', (output) =>
    pipeline(
      createReadStream(copy, { highWaterMark: READ_BYTES }),
      compress,
      (chunks: AsyncIterable<Buffer>) => sealPieces(JSON.stringify(head), key, chunks),
      (pieces: AsyncIterable<Buffer>) => writeAll(output, pieces, takeRoom),
    ),
  );
}

async function writeAll(
  output: FileHandle,
  pieces: AsyncIterable<Buffer>,
  takeRoom: (bytes: number) => void,
): Promise<void> {
  for await (const piece of pieces) {
    takeRoom(piece.length);
    await output.writeFile(piece);
  }
}

function read(copy: string): Pick<BackupHead, 'migration' | 'counts'> {
  const connection = new DatabaseSync(copy, { readOnly: true });
  try {
    return contentOf(connection);
  } finally {
    connection.close();
  }
}

/** All that a backup may be sealed with, as far as this machine has it. */
export function backupSecrets(config: Config): BackupSecrets {
  const old = loadOldMasterKey(config);
  const masterKeys = [
    ...(hasMasterKey(config) ? [loadMasterKey(config)] : []),
    ...(old === undefined ? [] : [old]),
  ];
  return { passphrase: config.backupPassphrase, masterKeys };
}
