import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type Database, openDatabase } from '../apps/server/src/db/open-database.ts';
import { createDatabase } from '../apps/server/src/testing/database-server.ts';

/** The migrated PostgreSQL database that is the template of the tests' databases. */
export const TEMPLATE = 'switchyard_template';

/** Returns the address of the run's PostgreSQL; undefined if the tests use SQLite. */
export const getRunPostgres = (): string | undefined => process.env['TEST_POSTGRES'];

/** Returns the folder in which tests record the servers that they share; set by `shared-servers.ts`. */
export const getServersFolder = (): string | undefined => process.env['TEST_SERVERS'];

/** Whether this run's tests use PostgreSQL. */
export const isOnPostgres = getRunPostgres() !== undefined;

const known = new Map<string, Promise<string>>();

/** Undefined for the file in the folder, unless this run's tests use PostgreSQL. One folder has one database. */
export function findDatabase(dataDir: string): Promise<string> | undefined {
  const uri = getRunPostgres();
  if (uri === undefined) return undefined;
  const name = `app_${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`;
  const creating = known.get(name) ?? createDatabase({ uri }, name, TEMPLATE);
  known.set(name, creating);
  return creating;
}

/** Database of a product with that folder. */
export async function openProductDatabase(dataDir: string): Promise<Database> {
  return openDatabase((await findDatabase(dataDir)) ?? join(dataDir, 'switchyard.db'));
}
