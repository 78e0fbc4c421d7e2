/**
 * Settlements: in memory at once, in the rows with the next commit. A settlement that arrives here is decided and is
 * retried until it is written. A failed commit may have succeeded with its result lost: the retry then finds no hold
 * and writes nothing, and memory is reloaded from the rows.
 */
import type { Timer, Timers } from '../platform/clock.ts';
import type { Log, LogError } from '../platform/log.ts';
import type { WriteCommitter } from './commit/group-commit.ts';
import { isStorageFailure } from './commit/storage-failure.ts';
import type { Hold, HoldSettlement } from './ledger-write-types.ts';

export interface Settlements {
  /** Settles; calls `tried` when it was written, or could not be written for the first time. */
  settle(end: HoldSettlement, tried?: () => void): void;
  /** Retries a settlement from an earlier process's outbox. */
  resume(end: HoldSettlement): void;
  /** Reverts a hold that was not written, or whose commit is uncertain. */
  revert(hold: Hold, error: Error): void;
  /** Returns the points of a decided charge that is not yet written. */
  unwrittenCharge(requestId: string): number | undefined;
  /** Tries unwritten settlements once more, with the last commits. */
  close(): void;
}

/** Outbox for settlements that could not be written to the rows, so that they outlive the process. */
export interface Outbox {
  append(end: HoldSettlement): void;
  /**
   * Clears the outbox after all its settlements were written; never throws. Settlements that remain on a full disk harm
   * nothing: the next start finds no holds for them.
   */
  clear(): void;
  close(): void;
}

const RETRY_MS = 1_000;
/** Only an operator can resolve a settlement that the ledger refuses. */
const REFUSED_RETRY_MS = 60_000;

/** Cached balances that decide without the rows, and have to be updated. */
export interface SettlementMemory {
  /** @returns the settlement to write */
  settle(end: HoldSettlement): HoldSettlement;
  /** @returns the settlement to write again after a failure */
  retry(end: HoldSettlement): HoldSettlement;
  forget(hold: Hold): void;
  forgetAll(): void;
}

interface SettlementContext {
  timers: Timers;
  log: Log;
  /** Logs the failures of settlements that are retried. */
  logError: LogError;
  outbox?: Outbox;
}

export function createSettlements(
  memory: SettlementMemory,
  commits: WriteCommitter,
  { timers, log, logError, outbox }: SettlementContext,
): Settlements {
  const unwritten = new Map<string, HoldSettlement>();
  /** Settlements that wait for the storage: the first is retried alone, and the others once it is written. */
  const waiting = new Map<string, HoldSettlement>();
  /** Retry of the first waiting settlement, until its result is known. */
  let storageRetry: Timer | undefined;
  /** Retries of refused settlements. */
  const retries = new Map<Timer, HoldSettlement>();
  let closed = false;
  const note = (end: HoldSettlement): void => {
    try {
      outbox?.append(end);
    } catch (error) {
      const charge = end.type === 'settle' ? end.charge : 0;
      log.error(
        { err: error, request_id: end.hold.requestId, charge },
        'a settlement could not be written to the outbox either and exists only in memory',
      );
    }
  };
  /** @param isAsRemembered true if memory matches the row and includes this settlement */
  const write = (end: HoldSettlement, isAsRemembered: boolean, tried?: (isWritten: boolean) => void): void =>
    commits.add(end, (error) => {
      const { requestId } = end.hold;
      if (error === undefined) {
        if (unwritten.delete(requestId) && unwritten.size === 0) outbox?.clear();
        if (!isAsRemembered) memory.forget(end.hold);
      } else {
        if (!unwritten.has(requestId)) note(end);
        unwritten.set(requestId, end);
        memory.forgetAll();
        logError({ err: error, request_id: requestId }, 'a settlement could not be committed; retrying');
        if (!closed && isStorageFailure(error)) waitForStorage(end);
        else if (!closed) retryRefused(end);
      }
      tried?.(error === undefined);
    });
  const waitForStorage = (end: HoldSettlement): void => {
    waiting.set(end.hold.requestId, end);
    storageRetry ??= timers.after(RETRY_MS, retryFirst);
  };
  const retryFirst = (): void => {
    for (const end of takeWaiting(1))
      write(memory.retry(end), false, (isWritten) => {
        storageRetry = undefined;
        if (isWritten) for (const other of takeWaiting()) write(memory.retry(other), false);
        else if (!closed && waiting.size > 0) storageRetry = timers.after(RETRY_MS, retryFirst);
      });
  };
  const takeWaiting = (count = waiting.size): HoldSettlement[] => {
    const taken = [...waiting.values()].slice(0, count);
    for (const { hold } of taken) waiting.delete(hold.requestId);
    return taken;
  };
  const retryRefused = (end: HoldSettlement): void => {
    const retry = timers.after(REFUSED_RETRY_MS, () => {
      retries.delete(retry);
      write(memory.retry(end), false);
    });
    retries.set(retry, end);
  };
  return {
    settle: (end, tried) => write(memory.settle(end), end.hold.isDoubtful !== true, tried),
    resume(end) {
      unwritten.set(end.hold.requestId, end);
      write(end, false);
    },
    revert(hold, error) {
      memory.forgetAll();
      if (isStorageFailure(error)) write({ type: 'void', hold, record: undefined }, false);
    },
    unwrittenCharge(requestId) {
      const end = unwritten.get(requestId);
      return end?.type === 'settle' ? end.charge : undefined;
    },
    close() {
      closed = true;
      storageRetry?.close();
      for (const end of takeWaiting()) write(memory.retry(end), false);
      for (const [retry, end] of retries) {
        retry.close();
        write(memory.retry(end), false);
      }
    },
  };
}
