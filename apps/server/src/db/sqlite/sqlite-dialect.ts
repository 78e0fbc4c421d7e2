/** Kysely dialect for Node's built-in SQLite. */
import type { DatabaseSync } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Clock } from '../../platform/clock.ts';
import { type Execute, endTransaction } from './execute.ts';
import type { WriterLock } from './writer-lock-and-busy-retry.ts';
import { createBusyRetry } from './writer-lock-and-busy-retry.ts';

/** Connection that writes. Read-only connections have no transactions. */
export interface WriteConnection {
  connection: DatabaseSync;
  lock: WriterLock;
  /** Machine's clock, which measures the waits for a locked file. */
  machine: Clock;
}

/**
 * Adapter that leaves locking to `WriteConnection.lock`. The query builder's own lock would be held while a statement
 * waits.
 */
class LockingAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

export function createSqliteDialect(execute: Execute, writing?: WriteConnection): Dialect {
  return {
    createAdapter: () => (writing === undefined ? new SqliteAdapter() : new LockingAdapter()),
    createDriver: () => createDriver(execute, writing),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

function createDriver(execute: Execute, writing: WriteConnection | undefined): Driver {
  const runWhenUnlocked = writing && createBusyRetry(writing.lock, writing.machine);
  const connection: DatabaseConnection = {
    async executeQuery<R>(query: CompiledQuery) {
      const statement = () => execute(query.sql, query.parameters);
      // A transaction has the file's lock from its beginning.
      const mayWait = runWhenUnlocked !== undefined && !writing?.connection.isTransaction;
      return (await (mayWait ? runWhenUnlocked(statement) : statement())) as QueryResult<R>;
    },
    streamQuery() {
      throw new Error('Rows are read page by page, never streamed');
    },
  };
  const run = async (statement: string): Promise<void> => {
    await connection.executeQuery(CompiledQuery.raw(statement));
  };
  return {
    init: async () => {},
    acquireConnection: async () => {
      await writing?.lock.acquire();
      return connection;
    },
    async beginTransaction() {
      // A disk error may have kept the last transaction open.
      if (writing !== undefined) endTransaction(writing.connection);
      await run('begin immediate');
    },
    commitTransaction: () => run('commit'),
    async rollbackTransaction() {
      if (writing === undefined) await run('rollback');
      else endTransaction(writing.connection);
    },
    releaseConnection: async () => writing?.lock.release(),
    destroy: async () => {},
  };
}
