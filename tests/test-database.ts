import { createHash } from 'node:crypto';
import { createDatabase } from '../apps/server/src/testing/database-server.ts';

/** The database from which those of tests are made. */
export const TEMPLATE = 'switchyard_template';

const known = new Map<string, Promise<string>>();

/** Undefined: the file in the folder, unless the tests of this run are on PostgreSQL. One folder has one database. */
export function databaseFor(dataDir: string): Promise<string> | undefined {
  const uri = process.env['TEST_POSTGRES'];
  if (uri === undefined) return undefined;
  const name = `app_${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`;
  const made = known.get(name) ?? createDatabase({ uri }, name, TEMPLATE);
  known.set(name, made);
  return made;
}
