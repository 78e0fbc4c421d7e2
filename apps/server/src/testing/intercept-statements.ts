/** Intercepts every statement that this process prepares from now on, to change its execution. */
import { DatabaseSync, type StatementSync } from 'node:sqlite';

type Prepare = (this: DatabaseSync, sql: string) => StatementSync;

/**
 * Starts intercepting. Call it before the database is opened.
 * @param watch may replace methods of the statement
 * @returns a function that stops it
 */
export function interceptStatements(watch: (sql: string, statement: StatementSync) => void): () => void {
  const original = Object.getOwnPropertyDescriptor(DatabaseSync.prototype, 'prepare') ?? {};
  const prepare: Prepare = original.value;
  const watched: Prepare = function watched(sql) {
    const statement = prepare.call(this, sql);
    watch(sql, statement);
    return statement;
  };
  Object.defineProperty(DatabaseSync.prototype, 'prepare', { ...original, value: watched });
  return () => void Object.defineProperty(DatabaseSync.prototype, 'prepare', original);
}
