/**
 * Collects the writes of one turn of the event loop and commits them together, so that concurrent requests share the
 * cost of a transaction.
 */
import { open } from 'node:fs/promises';
import type { SqliteEngine } from '../../db/open-database.ts';
import { BUSY_MAX_MS, BUSY_RETRY_MS, isBusy } from '../../db/sqlite/writer-lock-and-busy-retry.ts';
import type { Clock, Timers } from '../../platform/clock.ts';
import type { LedgerWrite } from '../ledger-write-types.ts';
import { createCommitBatch } from './commit-batch.ts';

export interface WriteCommitter<Decision = unknown> {
  /** Calls `done` once the write is committed, with the decision, or with the error that prevented it. */
  add(movement: LedgerWrite, done: (error: Error | undefined, decision?: Decision) => void): void;
  /**
   * Resolves when everything added so far is committed; `then` runs synchronously after the commit, before anything
   * else is added.
   */
  flush(then?: () => void): Promise<void>;
  /** Number of writes that wait for a commit. */
  readonly waiting: number;
  observe(watch: CommitObserver): void;
}

export interface GroupCommit extends WriteCommitter {
  /** Makes all commits durable against a power cut. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Maximum committed usage, in time, that a power cut may lose; payments are synced before they are confirmed. */
const SYNC_INTERVAL_MS = 1_000;
/** A commit costs the same for one write and for fifty; under load, a turn takes a fraction of a millisecond. */
const TURNS_MAX = 8;

export interface CommitObserver {
  committed(written: number, failed: number, ms: number): void;
}

/** @param machine real clock, for waits on a file that another process has locked */
export function createGroupCommit(db: SqliteEngine, timers: Timers, machine: Clock): GroupCommit {
  const commit = createCommitBatch(db.connection);
  // With Node's permission model, fsync works on a FileHandle but not on a bare descriptor.
  const walFile = open(`${db.file}-wal`, 'r');
  let movements: LedgerWrite[] = [];
  let callbacks: ((error: Error | undefined) => void)[] = [];
  let scheduled = false;
  let seen = 0;
  let turns = 0;
  let unsynced = false;
  let observer: CommitObserver | undefined;
  /** `machine.elapsed()` when the file was first found locked; undefined when the last commit did not wait. */
  let lockedSince: number | undefined;

  const isLockedOut = (failures: ReadonlyMap<LedgerWrite, Error>): boolean => {
    const [first] = failures.values();
    if (!isBusy(first)) return false;
    lockedSince ??= machine.elapsed();
    return machine.elapsed() - lockedSince < BUSY_MAX_MS;
  };
  /** Commits the collected writes. @returns false while another process locks the file; then nothing is committed */
  const flush = (): boolean => {
    if (movements.length === 0) return true;
    const begun = performance.now();
    const failures = commit(movements);
    if (isLockedOut(failures)) return false;
    const batch = movements;
    const waiting = callbacks;
    movements = [];
    callbacks = [];
    lockedSince = undefined;
    observer?.committed(batch.length - failures.size, failures.size, performance.now() - begun);
    if (failures.size < batch.length) unsynced = true;
    batch.forEach((movement, index) => waiting[index]?.(failures.get(movement)));
    return true;
  };
  /** Waits while each turn of the event loop adds more writes, up to a few turns. */
  const turn = (): void => {
    if (movements.length > seen && turns < TURNS_MAX) {
      seen = movements.length;
      turns += 1;
      setImmediate(turn);
      return;
    }
    db.lock.whenFree(() => {
      scheduled = false;
      seen = 0;
      turns = 0;
      if (flush()) return;
      scheduled = true;
      machine.after(BUSY_RETRY_MS, turn);
    });
  };
  const flushThen = (then: () => void): void => {
    db.lock.whenFree(() => {
      if (flush()) then();
      else machine.after(BUSY_RETRY_MS, () => flushThen(then));
    });
  };

  const sync = async (): Promise<void> => {
    unsynced = false;
    await (await walFile).datasync().catch((error: unknown) => {
      unsynced = true;
      throw error;
    });
  };
  const timer = timers.every(SYNC_INTERVAL_MS, () => void (unsynced && sync().catch(() => {})));

  return {
    add(movement, done) {
      movements.push(movement);
      callbacks.push(done);
      if (scheduled) return;
      scheduled = true;
      setImmediate(turn);
    },
    flush: (then) =>
      new Promise((resolve) => {
        flushThen(() => {
          then?.();
          resolve();
        });
      }),
    sync,
    get waiting() {
      return movements.length;
    },
    observe(watch) {
      observer = watch;
    },
    async close() {
      timer.close();
      await (await walFile).close();
    },
  };
}
