/** Writes many ledger writes in one transaction; one that fails does not affect the others. */
import type { DatabaseSync } from 'node:sqlite';
import { endTransaction } from '../../db/sqlite/execute.ts';
import type { LedgerWrite } from '../ledger-write-types.ts';
import { prepareStatements } from './commit-statements.ts';
import { isStorageFailure } from './storage-failure.ts';
import { createCommitWriter } from './write-commit-rows.ts';

type Failures = ReadonlyMap<LedgerWrite, Error>;

const NONE: Failures = new Map();

/** Never throws. @returns the writes that failed, each with its error */
export function createCommitBatch(connection: DatabaseSync): (batch: readonly LedgerWrite[]) => Failures {
  const write = createCommitWriter(prepareStatements(connection));
  const prepare = (text: string) => connection.prepare(text);
  const begin = prepare('begin immediate');
  const commit = prepare('commit');
  const mark = prepare('savepoint movement');
  const forgetMark = prepare('release movement');

  const inTransaction = (work: () => Failures, batch: readonly LedgerWrite[]): Failures => {
    // After a disk failure the last transaction may still be open.
    endTransaction(connection);
    try {
      begin.run();
      const failures = work();
      commit.run();
      return failures;
    } catch (error) {
      endTransaction(connection);
      return new Map(batch.map((movement) => [movement, asError(error)]));
    }
  };
  /** Returns undefined when it is written. */
  const writeOne = (movement: LedgerWrite): Error | undefined => {
    mark.run();
    try {
      write([movement]);
      forgetMark.run();
      return undefined;
    } catch (error) {
      // A storage failure rolls the transaction back, with everything written before.
      if (isStorageFailure(error)) throw error;
      connection.exec('rollback to movement; release movement');
      return asError(error);
    }
  };
  const writeTogether = (batch: readonly LedgerWrite[]) => (): Failures => {
    write(batch);
    return NONE;
  };
  const writeOneByOne = (batch: readonly LedgerWrite[]) => (): Failures => {
    const failures = new Map<LedgerWrite, Error>();
    for (const movement of batch) {
      const failure = writeOne(movement);
      if (failure !== undefined) failures.set(movement, failure);
    }
    return failures;
  };

  return (batch) => {
    const failures = inTransaction(writeTogether(batch), batch);
    const [first] = failures.values();
    if (first === undefined || batch.length === 1 || isStorageFailure(first)) return failures;
    return inTransaction(writeOneByOne(batch), batch);
  };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('The commit failed', { cause: error });
}
