import type { DatabaseSync } from 'node:sqlite';
import type { Kysely } from 'kysely';
import type pg from 'pg';
import type { Schema } from './schema.ts';
import type { SliceAnswers, SliceTask } from './slices/slices.ts';
import type { WriterLock } from './sqlite/writer-lock.ts';

export interface Database {
  /** Writes, and reads of a few rows. */
  writer: Kysely<Schema>;
  /** Lists and reports; sees what is committed. */
  reader: Kysely<Schema>;
  /**
   * Like `reader`, for a job that reads everything there is: for minutes if it takes them, beside those who read lists.
   */
  readAtLength: ReadAtLength;
  /** Adds up the calls of months where they are read. */
  sumSlices: SumSlices;
  /** What the ledger writes with. */
  engine: SqliteEngine | PostgresEngine;
  close(): Promise<void>;
}

export type ReadAtLength = <T>(work: (reader: Kysely<Schema>) => Promise<T>) => Promise<T>;

/** Each statement of it. */
export const READ_AT_LENGTH_MS = 20 * 60_000;

export type SumSlices = <Task extends SliceTask>(task: Task) => Promise<SliceAnswers[Task['kind']]>;

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
