/** Creates databases of earlier versions, for tests of migrations. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { onTestFinished } from 'vitest';
import { migrations } from '../db/migration-list.ts';
import { createFunctions } from '../db/postgres/postgres.ts';
import { createPostgresDialect } from '../db/postgres/postgres-dialect.ts';
import { toPostgresSql } from '../db/postgres/sqlite-compatibility.ts';
import { createExecute } from '../db/sqlite/execute.ts';
import { createSqliteDialect } from '../db/sqlite/sqlite-dialect.ts';
import type { Schema } from '../schema.ts';
import { openPostgresPool } from './database-server.ts';

const LIST = `create table kysely_migration (name varchar(255) not null primary key, timestamp varchar(255) not null);
  create table kysely_migration_lock (id varchar(255) not null primary key, is_locked integer default 0 not null);
  insert into kysely_migration_lock values ('migration_lock', 0)`;

/** Database files without rows, by the first migration that they lack. */
const oldDatabases = new Map<string, Buffer>();

async function createOldDatabase(file: string, before: string): Promise<void> {
  const connection = new DatabaseSync(file);
  // The file need not survive a crash of the machine, and the migrations change tables a hundred times.
  connection.exec('pragma synchronous = off; pragma journal_mode = memory');
  const db = new Kysely<Schema>({ dialect: createSqliteDialect(createExecute(connection)) });
  connection.exec(LIST);
  for (const [name, migration] of Object.entries(migrations)) {
    if (name >= before) continue;
    await migration.up(db);
    connection.prepare('insert into kysely_migration values (?, ?)').run(name, new Date().toISOString());
  }
  connection.close();
}

/**
 * Creates a database as the version before a migration left it, with its list of migrations.
 * @returns its file, which is removed when the test ends
 */
export async function writeOldDatabase(before: string, rows: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-migrate-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'switchyard.db');
  const known = oldDatabases.get(before);
  if (known === undefined) {
    await createOldDatabase(file, before);
    oldDatabases.set(before, readFileSync(file));
  } else writeFileSync(file, known);
  const connection = new DatabaseSync(file);
  connection.exec(rows);
  connection.close();
  return file;
}

/** Does the same in an empty PostgreSQL database. */
export async function writeOldPostgres(place: string, before: string, statements: readonly string[]): Promise<void> {
  const pool = openPostgresPool(place);
  await createFunctions(pool);
  const db = new Kysely<Schema>({ dialect: createPostgresDialect(pool, { translateQuery: toPostgresSql }) });
  await pool.query(LIST);
  for (const [name, migration] of Object.entries(migrations)) {
    if (name >= before) continue;
    await migration.up(db);
    await pool.query('insert into kysely_migration values ($1, $2)', [name, new Date().toISOString()]);
  }
  for (const statement of statements) await pool.query(statement);
  await pool.end();
}
