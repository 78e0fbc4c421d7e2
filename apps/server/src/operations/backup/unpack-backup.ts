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
import { type BackupSecrets, findBackupKey, readBackupHead } from './backup-key.ts';

/** First bytes of every SQLite file. */
const SQLITE_START = Buffer.from('SQLite format 3\0');

/** Returns whether the file is a plain SQLite copy. */
export async function isSqliteFile(file: string): Promise<boolean> {
  const start = Buffer.alloc(SQLITE_START.length);
  await withOpenFile(file, 'r', (handle) => handle.read(start, 0, start.length, 0));
  return start.equals(SQLITE_START);
}

/**
 * Unpacks the database of a backup into a file that only its owner can read; durable when it resolves.
 * @throws FileDamagedError when any byte was changed; DiskFullError; and when it needs another key
 */
export async function unpackBackup(
  file: string,
  target: string,
  secrets: BackupSecrets,
  disk: ReadDiskStats = readDiskStats,
): Promise<void> {
  const isPlain = await isSqliteFile(file);
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
  if (read !== head.database_bytes) throw new FileDamagedError();
}
