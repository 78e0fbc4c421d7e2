/**
 * The database: one writing connection in this thread, shared with the ledger under one lock, and one reading
 * connection in a thread of its own for lists and reports.
 */

import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { migrate, type Upgrade } from './migrate.ts';
import { openReader } from './reader.ts';
import type { Schema } from './schema.ts';
import { createExecute, createSqliteDialect } from './sqlite-dialect.ts';
import { createWriterLock, type WriterLock } from './writer-lock.ts';

export interface Database {
  /** Writes, and reads of a few rows. */
  writer: Kysely<Schema>;
  /** Lists and reports; sees what is committed. */
  reader: Kysely<Schema>;
  /** The writing connection itself, for the ledger's own statements. Only used while `lock` is free. */
  connection: DatabaseSync;
  lock: WriterLock;
  file: string;
  close(): Promise<void>;
}

/** Opens the file, makes it if needed, and brings its tables up to date. @throws when a newer version wrote it */
export async function openDatabase(file: string, upgrade: Upgrade = { copyFirst: false }): Promise<Database> {
  const connection = new DatabaseSync(file, { timeout: 5_000 });
  // A process that dies loses nothing with NORMAL; the ledger syncs the log itself against power cuts. Pages that are
  // written with every commit are copied to the database once for every 32 MB of log instead of every 4.
  connection.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA foreign_keys = ON;
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -32768;
    PRAGMA wal_autocheckpoint = 8000;
    PRAGMA journal_size_limit = 268435456;
  `);
  const lock = createWriterLock();
  const writer = new Kysely<Schema>({ dialect: createSqliteDialect(createExecute(connection), lock) });
  try {
    await migrate(writer, file, upgrade);
  } catch (error) {
    connection.close();
    throw error;
  }
  const reads = openReader(file);
  const reader = new Kysely<Schema>({ dialect: createSqliteDialect(reads.execute) });
  return {
    writer,
    reader,
    connection,
    lock,
    file,
    async close() {
      await reads.close();
      connection.close();
    },
  };
}
