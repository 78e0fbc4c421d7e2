/** Kysely over Node's built-in SQLite. */

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
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
import type { WriterLock } from './writer-lock.ts';

/** Runs one statement somewhere: in this thread, or in the reading one. */
export type Execute = (
  sql: string,
  parameters: readonly unknown[],
) => Promise<QueryResult<unknown>> | QueryResult<unknown>;

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

const STATEMENTS_MAX = 300;

/** Executes on a connection of this thread; statements are compiled once. */
export function createExecute(connection: DatabaseSync): Execute {
  const statements = new Map<string, StatementSync>();
  const prepare = (sql: string): StatementSync => {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    if (statements.size >= STATEMENTS_MAX) statements.clear();
    const statement = connection.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  return (sql, parameters) => {
    const statement = prepare(sql);
    const values = parameters as SQLInputValue[];
    if (statement.columns().length > 0) return { rows: statement.all(...values) };
    const { changes, lastInsertRowid } = statement.run(...values);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  };
}
