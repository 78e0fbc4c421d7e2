/** The data folder belongs to one process at a time; its lock is a SQLite lock, which dies with the process. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export interface DataFolder {
  path: string;
  release(): void;
}

/** @throws when another process holds the folder, or it cannot be written */
export function claimDataFolder(path: string): DataFolder {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const lock = new DatabaseSync(join(path, 'process.lock'));
  try {
    lock.exec(
      'PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE IF NOT EXISTS held (pid INTEGER); COMMIT; BEGIN EXCLUSIVE',
    );
  } catch (error) {
    lock.close();
    throw new Error(`Another process is using the data folder ${path}; stop it first or set DATA_DIR`, {
      cause: error,
    });
  }
  return { path, release: () => lock.close() };
}
