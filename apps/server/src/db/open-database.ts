/** Opens the database: a SQLite file for one node, or PostgreSQL for several. Queries are the same for both. */
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { type Clock, systemClock } from '../platform/clock.ts';
import type { Schema } from '../schema.ts';
import type { Upgrade } from './backup-and-migrate.ts';
import type { Database, ReplicaOptions } from './database-handle.ts';
import { openSqlite, readSqliteSnapshot } from './sqlite/sqlite.ts';

export type { Database, PostgresEngine, ReplicaOptions, ReplicaState, SqliteEngine } from './database-handle.ts';

/** @param target a file, or an address */
export const isPostgres = (target: string): boolean => /^postgres(ql)?:/.test(target);

export const getDatabaseFile = (dataDir: string): string => join(dataDir, 'switchyard.db');

/**
 * Opens a database and brings its tables up to date.
 * @param target a file, which is created if needed, or `postgres://…`
 * @param replica of PostgreSQL, for reports @throws if a newer version wrote it
 */
export async function openDatabase(
  target: string,
  upgrade: Upgrade = { copyFirst: false },
  replica?: ReplicaOptions,
  machine: Clock = systemClock,
): Promise<Database> {
  if (!isPostgres(target)) return openSqlite(target, upgrade, machine);
  const { openPostgres } = await import('./postgres/postgres.ts');
  return openPostgres(target, upgrade, machine, replica);
}

/** Runs read-only work on a database as of one moment. Its tables may be of an older version. */
export async function readSnapshot<T>(target: string, work: (db: Kysely<Schema>) => Promise<T>): Promise<T> {
  if (!isPostgres(target)) return readSqliteSnapshot(target, work);
  const { readPostgresSnapshot } = await import('./postgres/postgres.ts');
  return readPostgresSnapshot(target, work);
}
