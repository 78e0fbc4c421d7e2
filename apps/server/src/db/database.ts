import type { DatabaseSync } from 'node:sqlite';
import type { Kysely } from 'kysely';
import type pg from 'pg';
import type { Schema } from './schema.ts';
import type { WriterLock } from './sqlite/writer-lock.ts';

export interface Database {
  /** Writes, and reads of a few rows. */
  writer: Kysely<Schema>;
  /** Lists and reports; sees what is committed. */
  reader: Kysely<Schema>;
  /** What the ledger writes with. */
  engine: SqliteEngine | PostgresEngine;
  close(): Promise<void>;
}

export interface SqliteEngine {
  kind: 'sqlite';
  /** The writing connection itself. Only used while `lock` is free. */
  connection: DatabaseSync;
  lock: WriterLock;
  file: string;
}

export interface PostgresEngine {
  kind: 'postgres';
  pool: pg.Pool;
}
