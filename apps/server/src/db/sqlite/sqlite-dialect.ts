/** Kysely over Node's built-in SQLite. */

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
import type { Execute } from './execute.ts';
import type { WriterLock } from './writer-lock.ts';

export function createSqliteDialect(execute: Execute, lock?: WriterLock): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => createDriver(execute, lock),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

function createDriver(execute: Execute, lock: WriterLock | undefined): Driver {
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
      await lock?.acquire();
      return connection;
    },
    beginTransaction: () => run('begin immediate'),
    commitTransaction: () => run('commit'),
    rollbackTransaction: () => run('rollback'),
    releaseConnection: async () => lock?.release(),
    destroy: async () => {},
  };
}
