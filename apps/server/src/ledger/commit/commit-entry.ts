import { AppError } from '../../platform/http/app-error.ts';
import type { Log } from '../../platform/log.ts';
import type { Hold, Movement } from '../ledger-entry.ts';
import type { Commits } from './group-commit.ts';
import { unavailableWhenStorageFails } from './storage-failure.ts';

/**
 * Resolves when it is committed, with what was decided then.
 * @throws AppError `unavailable` when the storage fails, after `undo`
 */
export function commitMovement<D>(
  commits: Commits<D>,
  movement: Movement,
  undo: (error: Error) => void = () => {},
): Promise<D | undefined> {
  return new Promise((resolve, reject) =>
    commits.add(movement, (error, decision) => {
      if (error === undefined) return resolve(decision);
      undo(error);
      reject(unavailableWhenStorageFails(error));
    }),
  );
}

/** @throws AppError `unavailable` for a hold whose row may hold more than is known, so that nothing can be added to it */
export function refuseDoubtful({ isDoubtful }: Hold): void {
  if (isDoubtful === true)
    throw new AppError('unavailable', 'The hold of this request could not be increased before');
}

/** Nobody waits for it. @param what for the log, should it fail */
export function addOrLog<D>(commits: Commits<D>, log: Log, movement: Movement, what: string): void {
  commits.add(movement, (error) => {
    if (error !== undefined) log.error({ err: error }, `${what} could not be written`);
  });
}
