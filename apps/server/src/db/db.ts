/** The database: a file for one node, or PostgreSQL for several. Queries are the same for both. */
import type { Database } from './database.ts';
import { openSqlite } from './sqlite/sqlite.ts';

export type { Database, PostgresEngine, SqliteEngine } from './database.ts';

/** @param place a file, which is made if needed, or `postgres://…`; its tables are brought up to date */
export async function openDatabase(place: string): Promise<Database> {
  if (!/^postgres(ql)?:/.test(place)) return openSqlite(place);
  const { openPostgres } = await import('./postgres/postgres.ts');
  return openPostgres(place);
}
