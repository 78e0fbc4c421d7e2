/** Migrates one SQLite database, which the tests of this run copy. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../apps/server/src/db/open-database.ts';

export async function setup(): Promise<() => void> {
  // Several projects of a run share the template.
  if (process.env['TEST_SQLITE_TEMPLATE'] !== undefined) return () => {};
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-template-'));
  const file = join(folder, 'migrated.db');
  process.env['TEST_SQLITE_TEMPLATE'] = file;
  const db = await openDatabase(file);
  // Closing the last connection writes the write-ahead log into the file.
  await db.close();
  return () => rmSync(folder, { recursive: true, force: true });
}
