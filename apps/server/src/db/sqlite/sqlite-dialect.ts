/** Kysely over Node's built-in SQLite. */
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
import { endTransaction } from './end-transaction.ts';
import type { Execute } from './execute.ts';
import type { WriterLock } from './writer-lock.ts';

/** The connection that writes. Connections that only read have no transactions. */
export interface Writing {
  connection: DatabaseSync;
  lock: WriterLock;
}

export function createSqliteDialect(execute: Execute, writing?: Writing): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => createDriver(execute, writing),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

function createDriver(execute: Execute, writing: Writing | undefined): Driver {
  const connection: DatabaseConnection = {
    executeQuery: async <R>(query: CompiledQuery) =>
      (await execute(query.sql, query.parameters)) as QueryResult<R>,
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
      // A disk that failed may have kept the last transaction from ending.
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
