/** Databases of earlier versions, for tests of migrations. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { onTestFinished } from 'vitest';
import { migrations } from '../db/migrations/migrations.ts';
import type { Schema } from '../db/schema.ts';
import { createExecute, createSqliteDialect } from '../db/sqlite/sqlite-dialect.ts';

/**
 * A database as the version before a migration left it, with its list of migrations.
 * @returns its file, which goes when the test ends
 */
export async function writeOldDatabase(before: string, rows: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-migrate-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'switchyard.db');
  const connection = new DatabaseSync(file);
  const db = new Kysely<Schema>({ dialect: createSqliteDialect(createExecute(connection)) });
  connection.exec(`create table kysely_migration (name varchar(255) not null primary key, timestamp varchar(255) not null);
    create table kysely_migration_lock (id varchar(255) not null primary key, is_locked integer default 0 not null);
    insert into kysely_migration_lock values ('migration_lock', 0)`);
  for (const [name, migration] of Object.entries(migrations)) {
    if (name >= before) continue;
    await migration.up(db);
    connection.prepare('insert into kysely_migration values (?, ?)').run(name, new Date().toISOString());
  }
  connection.exec(rows);
  connection.close();
  return file;
}
