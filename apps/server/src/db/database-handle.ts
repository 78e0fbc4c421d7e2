import type { DatabaseSync } from 'node:sqlite';
import type { ReplicaStatus } from '@switchyard/contract/operations/system-info';
import type { Kysely } from 'kysely';
import type pg from 'pg';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Schema } from '../schema.ts';
import type { RollupResults, RollupTask } from './rollups/run-rollup-queries.ts';
import type { WriterLock } from './sqlite/writer-lock-and-busy-retry.ts';

export interface Database {
  /** Database for writes, and for reads of a few rows. */
  writer: Kysely<Schema>;
  /** Database for lists. It reads committed rows only. */
  reader: Kysely<Schema>;
  /** Runs a job that reads whole tables, for minutes if necessary, without delaying the reads of lists. */
  readLongRunning<T>(work: (reader: Kysely<Schema>) => Promise<T>): Promise<T>;
  /**
   * Database for reports, which may be some seconds behind if there is a replica. It must not be used for decisions,
   * for writes, or to read changes that a user has just made.
   */
  reports: Kysely<Schema>;
  /** Computes analytics of calls. With a replica, it reads like `reports`. */
  sumRollups: SumRollups;
  /** State of the replica; undefined if none is configured. */
  readonly replica: ReplicaState | undefined;
  /** Engine that the ledger writes with. */
  engine: SqliteEngine | PostgresEngine;
  /** Clock of this machine, for waits that do not depend on the time of day. */
  machine: Clock;
  close(): Promise<void>;
}

/** Maximum duration of each statement of `readLongRunning`. */
export const LONG_READ_MS = 20 * 60_000;

export interface ReplicaOptions {
  url: string;
  /** Maximum lag with which the replica is still used. */
  maxLagMs: number;
  log: Log;
}

export interface ReplicaState {
  use: ReplicaStatus;
  /** Maximum lag of the replica in milliseconds; undefined while it is unknown. */
  lagMs: number | undefined;
  /** Number of reports since the start that the primary answered instead of the replica. */
  fallbacks: number;
}

export type SumRollups = <Task extends RollupTask>(task: Task) => Promise<RollupResults[Task['kind']]>;

export interface SqliteEngine {
  kind: 'sqlite';
  /** Writing connection. It may only be used while `lock` is free. */
  connection: DatabaseSync;
  lock: WriterLock;
  file: string;
  /** @param report called whenever the storage fails a statement: an earlier write of its caller may be committed */
  onUncertainWrite(report: () => void): void;
}

export interface PostgresEngine {
  kind: 'postgres';
  pool: pg.Pool;
  /** `postgres://user:password@host:port/database`, for threads that open their own connection. */
  url: string;
  /** @param report called whenever a write fails that PostgreSQL may have committed */
  onUncertainWrite(report: () => void): void;
}
