/** Creates data folders of tests. A test run migrates one database, and each folder gets a copy of it. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getDatabaseFile } from '../db/db.ts';

/**
 * Creates a folder in which a server can start. Its database is a copy of the run's migrated one, if that exists and
 * the folder has no database yet; otherwise the server migrates its own.
 * @param dataDir created if needed; absent: a new folder, which the caller removes
 */
export function createMigratedFolder(dataDir = mkdtempSync(join(tmpdir(), 'switchyard-'))): string {
  const file = getDatabaseFile(dataDir);
  if (process.env['TEST_POSTGRES'] !== undefined || existsSync(file)) return dataDir;
  mkdirSync(dataDir, { recursive: true });
  copyTemplate(file);
  return dataDir;
}

/** Copies the run's migrated database to this file. Without one it does nothing, and the caller migrates the file. */
export function copyTemplate(file: string): void {
  const template = process.env['TEST_SQLITE_TEMPLATE'];
  if (template !== undefined) copyFileSync(template, file);
}
