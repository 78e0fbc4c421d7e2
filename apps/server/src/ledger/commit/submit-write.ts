import type { LogError } from '../../platform/log.ts';
import type { LedgerWrite } from '../ledger-write-types.ts';
import type { WriteCommitter } from './group-commit.ts';
import { toUnavailable } from './storage-failure.ts';

/**
 * Resolves with the decision when the write is committed.
 * @throws AppError `unavailable` when the storage fails, after `undo`
 */
export function commitWrite<D>(
  commits: WriteCommitter<D>,
  movement: LedgerWrite,
  undo: (error: Error) => void = () => {},
): Promise<D | undefined> {
  return new Promise((resolve, reject) =>
    commits.add(movement, (error, decision) => {
      if (error === undefined) return resolve(decision);
      undo(error);
      reject(toUnavailable(error));
    }),
  );
}

/** Commits in the background. @param what subject of the log message if it fails */
export function commitOrLog<D>(
  commits: WriteCommitter<D>,
  logError: LogError,
  movement: LedgerWrite,
  what: string,
): void {
  commits.add(movement, (error) => {
    if (error !== undefined) logError({ err: error }, `${what} could not be written`);
  });
}
