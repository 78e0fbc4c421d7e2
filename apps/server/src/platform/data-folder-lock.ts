/** Locks the data folder for one process; the lock is a SQLite lock, which ends with the process. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { getErrorMessage } from './log.ts';

/** Error of a lock that is held elsewhere. */
export class LockHeldError extends Error {}

export interface DataFolder {
  path: string;
  release(): void;
}

/** @throws when another process holds the folder, or it is not writable */
export function lockDataFolder(path: string): DataFolder {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const release = acquireFileLock(
    join(path, 'process.lock'),
    `Another process is using the data folder ${path}. Stop it first, or set DATA_DIR.`,
  );
  return { path, release };
}

/**
 * Locks backups, which run beside the server, so that only one runs at a time.
 * @returns a function that releases the lock
 * @throws LockHeldError when it is held elsewhere
 */
export function lockBackups(path: string): () => void {
  return acquireFileLock(join(path, 'backup.lock'), 'Another backup is being created or checked. Wait until it ends.');
}

/** SQLite's result code for a locked database. https://www.sqlite.org/rescode.html#busy */
const BUSY = 5;

/** Returns whether SQLite failed because another process has locked the file; extended codes are in the upper bits. */
export function isLockedError(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === BUSY;
}

function acquireFileLock(file: string, whenHeld: string): () => void {
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(file);
    lock.exec(
      'PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE IF NOT EXISTS held (pid INTEGER); COMMIT; BEGIN EXCLUSIVE',
    );
  } catch (error) {
    lock?.close();
    if (isLockedError(error)) throw new LockHeldError(whenHeld, { cause: error });
    throw new Error(
      `The lock ${file} cannot be acquired: ${getErrorMessage(error)}. It and its folder must belong to the user of this process`,
      { cause: error },
    );
  }
  const held = lock;
  return () => held.close();
}
