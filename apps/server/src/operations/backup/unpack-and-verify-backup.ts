import { createReadStream, statSync } from 'node:fs';
import { type FileHandle, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import {
  createDiskSpaceGuard,
  type ReadDiskStats,
  readDiskStats,
  requireDiskSpace,
} from '../../platform/disk-space.ts';
import { decryptStream, FileDamagedError, withOpenFile } from '../../platform/secrets/sealed-file.ts';
import { type BackupSecrets, findBackupKey, readBackupHead } from './backup-key-and-header.ts';

/** First bytes of every SQLite file. */
const SQLITE_START = Buffer.from('SQLite format 3\0');

/** Returns whether the file is a plain SQLite copy. */
export async function isSqliteFile(file: string): Promise<boolean> {
  const start = Buffer.alloc(SQLITE_START.length);
  await withOpenFile(file, 'r', (handle) => handle.read(start, 0, start.length, 0));
  return start.equals(SQLITE_START);
}

/** Endings of the files in which SQLite keeps changes that the database file lacks, or only has in part. */
const LOG_ENDINGS = ['-wal', '-journal'] as const;

/**
 * Unpacks the database of a backup into a file that only its owner can read; durable when it resolves.
 * @throws FileDamagedError when any byte was changed; DiskFullError; when it needs another key; and for a plain copy
 * whose newest changes are in a log beside it
 */
export async function unpackBackup(
  file: string,
  target: string,
  secrets: BackupSecrets,
  disk: ReadDiskStats = readDiskStats,
): Promise<void> {
  const isPlain = await isSqliteFile(file);
  if (isPlain) rejectUnmergedLog(file);
  const folder = dirname(target);
  try {
    await withOpenFile(target, 'wx', async (output) => {
      await (isPlain ? copyPlain(file, output, folder, disk) : openSealed(file, output, folder, secrets, disk));
      await output.sync();
    });
  } catch (error) {
    await rm(target, { force: true });
    throw error;
  }
}

/**
 * Rejects a database that was copied with its log, or is open: without the log, its last payments and charges would be
 * missing, although everything in the file adds up.
 */
function rejectUnmergedLog(file: string): void {
  const log = LOG_ENDINGS.map((ending) => `${file}${ending}`).find((name) => sizeOf(name) > 0);
  if (log === undefined) return;
  throw new Error(
    `${log} has changes that are not in ${file}. Make a copy of a database in use with the command backup, or merge the log: sqlite3 ${file} 'PRAGMA journal_mode = DELETE'`,
  );
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

async function copyPlain(file: string, output: FileHandle, folder: string, disk: ReadDiskStats): Promise<void> {
  requireDiskSpace(folder, statSync(file).size, disk);
  for await (const chunk of createReadStream(file)) await output.writeFile(chunk);
}

/** Reads all of a sealed backup without writing. @throws like `unpackBackup` */
export async function verifyBackup(file: string, secrets: BackupSecrets): Promise<void> {
  await readSealed(file, secrets, async () => {});
}

async function openSealed(
  file: string,
  output: FileHandle,
  folder: string,
  secrets: BackupSecrets,
  disk: ReadDiskStats,
): Promise<void> {
  requireDiskSpace(folder, (await readBackupHead(file)).head.database_bytes, disk);
  const takeRoom = createDiskSpaceGuard(folder, disk);
  await readSealed(file, secrets, async (chunk) => {
    takeRoom(chunk.length);
    await output.writeFile(chunk);
  });
}

async function readSealed(file: string, secrets: BackupSecrets, take: (chunk: Buffer) => Promise<void>): Promise<void> {
  const { line, head } = await readBackupHead(file);
  const key = await findBackupKey(head.key, secrets);
  let read = 0;
  await pipeline(decryptStream(file, line, key), createZstdDecompress(), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      await take(chunk);
      read += chunk.length;
    }
  });
  if (read !== head.database_bytes) throw new FileDamagedError(file);
}
