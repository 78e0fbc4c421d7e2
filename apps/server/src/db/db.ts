/** The database: a file for one node, or PostgreSQL for several. Queries are the same for both. */
import type { Database } from './database.ts';
import type { Upgrade } from './migrate.ts';
import { openSqlite } from './sqlite/sqlite.ts';

export type { Database, PostgresEngine, SqliteEngine } from './database.ts';

/**
 * Brings its tables up to date.
 * @param place a file, which is made if needed, or `postgres://…` @throws when a newer version wrote it
 */
export async function openDatabase(
  place: string,
  upgrade: Upgrade = { copyFirst: false },
): Promise<Database> {
  if (!/^postgres(ql)?:/.test(place)) return openSqlite(place, upgrade);
  const { openPostgres } = await import('./postgres/postgres.ts');
  return openPostgres(place);
}
