import type { DatabaseSync } from 'node:sqlite';

/**
 * Rolls back the transaction that is open, if there is one. SQLite itself rolls back after a full or failing disk, and
 * then refuses a `rollback`. Never throws, because the error that ended the transaction is the one to report.
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
