import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type Database, openDatabase } from '../apps/server/src/db/db.ts';
import { createDatabase } from '../apps/server/src/testing/database-server.ts';

/** The database of PostgreSQL that has our tables, from which those of tests are made. */
export const TEMPLATE = 'switchyard_template';

/** The server of PostgreSQL on which all tests of this run are. */
export const postgresOfRun = (): string | undefined => process.env['TEST_POSTGRES'];

/** The folder in which the servers that tests of this run share are noted; set by `shared-servers.ts`. */
export const serversOfRun = (): string | undefined => process.env['TEST_SERVERS'];

/** Whether the tests of this run have their databases there, and not in files. */
export const isOnPostgres = postgresOfRun() !== undefined;

const known = new Map<string, Promise<string>>();

/** Undefined: the file in the folder, unless the tests of this run are on PostgreSQL. One folder has one database. */
export function databaseFor(dataDir: string): Promise<string> | undefined {
  const uri = postgresOfRun();
  if (uri === undefined) return undefined;
  const name = `app_${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`;
  const made = known.get(name) ?? createDatabase({ uri }, name, TEMPLATE);
  known.set(name, made);
  return made;
}

/** What a product in that folder reads and writes. */
export async function openDatabaseIn(dataDir: string): Promise<Database> {
  return openDatabase((await databaseFor(dataDir)) ?? join(dataDir, 'switchyard.db'));
}
