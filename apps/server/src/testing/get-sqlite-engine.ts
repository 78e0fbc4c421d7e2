import type { Database, SqliteEngine } from '../db/db.ts';

/** For tests that reach below the queries. */
export function getSqliteEngine({ engine }: Pick<Database, 'engine'>): SqliteEngine {
  if (engine.kind !== 'sqlite') throw new Error('This test is about the database of one node');
  return engine;
}
