/** A copy of a database as of one moment, beside whoever writes to it. */
import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { type ReadDiskStats, readDiskStats, requireDiskSpace } from '../platform/disk-space.ts';

/**
 * All at once: a copy in steps begins anew whenever another process commits between two of them, and would never end
 * beside a server under load.
 */
const ALL_PAGES = 2_147_483_647;

/**
 * Writers go on meanwhile; the pages are copied in a thread of their own. What stood at `target` goes.
 * @param target readable by its owner only; one file, without a log beside it
 * @throws DiskFull
 */
export async function copyDatabase(file: string, target: string, disk: ReadDiskStats = readDiskStats): Promise<void> {
  removeDatabase(target);
  requireDiskSpace(dirname(target), sizeOf(file) + sizeOf(`${file}-wal`), disk);
  closeSync(openSync(target, 'wx', 0o600));
  const connection = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  try {
    await backup(connection, target, { rate: ALL_PAGES });
  } finally {
    connection.close();
  }
  checkpointDatabase(target);
}

/** Makes one file of a database that nobody has open. */
export function checkpointDatabase(file: string): void {
  const connection = new DatabaseSync(file);
  try {
    connection.exec('PRAGMA journal_mode = DELETE');
  } finally {
    connection.close();
  }
}

/** Removes the database file and the files beside it. */
export function removeDatabase(file: string): void {
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(`${file}${end}`, { force: true });
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
