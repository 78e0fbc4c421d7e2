import type { DatabaseSync } from 'node:sqlite';
import type { ReplicaStatus } from '@switchyard/contract/operations/system-info';
import type { Kysely } from 'kysely';
import type pg from 'pg';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Schema } from '../schema.ts';
import type { RollupResults, RollupTask } from './rollups/rollup-tasks.ts';
import type { WriterLock } from './sqlite/writer-lock.ts';

export interface Database {
  /** Writes, and reads of a few rows. */
  writer: Kysely<Schema>;
  /** Lists; sees what is committed. */
  reader: Kysely<Schema>;
  /**
   * Like `reader`, for a job that reads everything there is: for minutes if it takes them, beside those who read lists.
   */
  readLongRunning<T>(work: (reader: Kysely<Schema>) => Promise<T>): Promise<T>;
  /**
   * Database for reports, which may be some seconds behind if there is a replica. Nothing is decided or written by
   * its data, and changes that a user has just made are never read there.
   */
  reports: Kysely<Schema>;
  /** Adds up the calls of months where they are read; for reports where reports are. */
  sumRollups: SumRollups;
  /** Undefined: reports are read where all else is. */
  readonly replica: ReplicaState | undefined;
  /** Engine that the ledger writes with. */
  engine: SqliteEngine | PostgresEngine;
  /** The clock of this machine, for waits that do not depend on the time of day. */
  machine: Clock;
  close(): Promise<void>;
}

/** No statement of `readAtLength` may take longer. */
export const LONG_READ_MS = 20 * 60_000;

/** Options of the replica that serves reports. */
export interface ReplicaOptions {
  url: string;
  /** Further behind it is not asked. */
  maxLagMs: number;
  log: Log;
}

export interface ReplicaState {
  use: ReplicaStatus;
  /** Maximum lag of the replica in milliseconds; undefined while it is unknown. */
  lagMs: number | undefined;
  /** Reports that it was asked for and that the primary had to answer, since the start. */
  fallbacks: number;
}

export type SumRollups = <Task extends RollupTask>(task: Task) => Promise<RollupResults[Task['kind']]>;

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
  /** `postgres://user:password@host:port/database`, for threads with a connection of their own. */
  url: string;
}
