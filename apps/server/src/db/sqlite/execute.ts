/**
 * Executes statements on a SQLite connection. Reading threads load this without Kysely, and so start in a few
 * milliseconds.
 */

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { QueryResult } from 'kysely';

/** Runs one statement in this thread or in the reading thread. */
export type Execute = (
  sql: string,
  parameters: readonly unknown[],
) => Promise<QueryResult<unknown>> | QueryResult<unknown>;

const STATEMENTS_MAX = 300;

/** Returns a function that executes statements in this thread and compiles each once. */
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

/**
 * Rolls back the open transaction, if there is one. SQLite itself rolls back after a full or failing disk, and then
 * rejects a `rollback`. Never throws, because the error that ended the transaction is the one to report.
 * https://www.sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction
 */
export function endTransaction(connection: DatabaseSync): void {
  if (!connection.isTransaction) return;
  try {
    connection.exec('rollback');
  } catch {
    // The next transaction tries again.
  }
}
