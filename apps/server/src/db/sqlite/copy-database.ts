/** Copies a database as of one moment while other connections write to it. */
import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { type ReadDiskStats, readDiskStats, requireDiskSpace } from '../../platform/disk-space.ts';

/**
 * Copies all pages in one step. A copy in several steps restarts whenever another process commits between them, so it
 * would never end under load.
 */
const ALL_PAGES = 2_147_483_647;

/**
 * Copies the pages in a separate thread, while writers continue. An existing database at `target` is removed.
 * @param target one file without a log, readable by its owner only
 * @throws DiskFullError
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

/** Reads the whole copy. @throws if SQLite finds damage in it, which the copied database has as well */
export function requireIntactCopy(copy: string): void {
  const connection = new DatabaseSync(copy, { readOnly: true });
  try {
    const rows = connection.prepare('PRAGMA integrity_check(3)').all();
    const damage = rows.map((row) => String(row['integrity_check'])).filter((text) => text !== 'ok');
    if (damage.length > 0)
      throw new Error(`The database is damaged, so it was not backed up: ${damage.join('; ')}. Restore a backup.`);
  } finally {
    connection.close();
  }
}

/** Merges the log of a database that no process has open into its file. */
export function checkpointDatabase(file: string): void {
  const connection = new DatabaseSync(file);
  try {
    connection.exec('PRAGMA journal_mode = DELETE');
  } finally {
    connection.close();
  }
}

export function removeDatabase(file: string): void {
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(`${file}${end}`, { force: true });
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
