/**
 * The end of holds: in memory at once, in the rows with the next commit. An end is decided when it gets here, so that
 * it is tried until it is written. What failed may have been committed all the same, and its news been lost: a second
 * try finds no hold then and writes nothing, and memory is read again from the rows.
 */
import type { Timer, Timers } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { WriteCommitter } from './commit/group-commit.ts';
import { isStorageFailure } from './commit/storage-failure.ts';
import type { Hold, HoldSettlement } from './ledger-write.ts';

export interface Settlements {
  /** Calls back when it was written or could not be written for the first time. */
  settle(end: HoldSettlement, tried?: () => void): void;
  /** Goes on with an end that an earlier process noted. */
  resume(end: HoldSettlement): void;
  /** Takes back a hold that could not be written, or of which nobody knows whether it was. */
  revert(hold: Hold, error: Error): void;
  /** Points of a charge that is decided and could not be written yet. */
  unwrittenCharge(requestId: string): number | undefined;
  /** Tries what is not written once more, with the commits to come, and then no more. */
  close(): void;
}

/** Outbox for settlements that could not be written to the rows, so that they outlive the process. */
export interface Outbox {
  append(end: HoldSettlement): void;
  /** Everything that was noted is written. */
  clear(): void;
  close(): void;
}

const RETRY_MS = 1_000;
/** Nothing but an operator helps a settlement that the ledger refuses. */
const REFUSED_RETRY_MS = 60_000;

/** Memory that decides without the rows, and has to be updated. */
export interface SettlementMemory {
  /** @returns the end as it is to be written */
  settle(end: HoldSettlement): HoldSettlement;
  /** @returns the end as it is to be written after it could not be */
  retry(end: HoldSettlement): HoldSettlement;
  forget(hold: Hold): void;
  forgetAll(): void;
}

interface SettlementContext {
  timers: Timers;
  log: Log;
  outbox?: Outbox;
}

export function createSettlements(
  memory: SettlementMemory,
  commits: WriteCommitter,
  { timers, log, outbox }: SettlementContext,
): Settlements {
  const unwritten = new Map<string, HoldSettlement>();
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
  /** @param isAsRemembered memory knows what the row holds, and this end */
  const write = (end: HoldSettlement, isAsRemembered: boolean, tried?: () => void): void =>
    commits.add(end, (error) => {
      const { requestId } = end.hold;
      if (error === undefined) {
        if (unwritten.delete(requestId) && unwritten.size === 0) outbox?.clear();
        if (!isAsRemembered) memory.forget(end.hold);
      } else {
        if (!unwritten.has(requestId)) note(end);
        unwritten.set(requestId, end);
        memory.forgetAll();
        log.error({ err: error, request_id: requestId }, 'a settlement could not be committed; retrying');
        if (!closed) tryLater(end, isStorageFailure(error) ? RETRY_MS : REFUSED_RETRY_MS);
      }
      tried?.();
    });
  const tryLater = (end: HoldSettlement, afterMs: number): void => {
    const retry = timers.after(afterMs, () => {
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
      for (const [retry, end] of retries) {
        retry.close();
        write(memory.retry(end), false);
      }
    },
  };
}
