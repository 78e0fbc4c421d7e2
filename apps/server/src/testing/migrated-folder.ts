/** Data folders of tests: a run of tests migrates one database, and each folder begins with a copy of it. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getDatabaseFile } from '../db/db.ts';

/**
 * A folder in which a server may start. Its database is a copy of the run's migrated one, where the run has one and the folder
 * has no database yet; elsewhere the server migrates its own.
 * @param dataDir made if needed; absent: a new folder, which its user removes
 */
export function createMigratedFolder(dataDir = mkdtempSync(join(tmpdir(), 'switchyard-'))): string {
  const file = getDatabaseFile(dataDir);
  if (process.env['TEST_POSTGRES'] !== undefined || existsSync(file)) return dataDir;
  mkdirSync(dataDir, { recursive: true });
  copyTemplate(file);
  return dataDir;
}

/** Copies the run's migrated database to this file. A run without one does nothing: the file's user migrates it. */
export function copyTemplate(file: string): void {
  const template = process.env['TEST_SQLITE_TEMPLATE'];
  if (template !== undefined) copyFileSync(template, file);
}
