import type { Database, SqliteEngine } from '../db/db.ts';

/** Returns the SQLite engine, for tests below the query builder. */
export function getSqliteEngine({ engine }: Pick<Database, 'engine'>): SqliteEngine {
  if (engine.kind !== 'sqlite') throw new Error('This test is about the database of one node');
  return engine;
}
