/**
 * Collects the movements of one turn of the event loop and commits them together, so that the cost of a
 * transaction is shared by all requests that arrived with it.
 */
import { open } from 'node:fs/promises';
import type { SqliteEngine } from '../../db/db.ts';
import { BUSY_MAX_MS, BUSY_RETRY_MS, isBusy } from '../../db/sqlite/writer-lock.ts';
import type { Clock, Timers } from '../../platform/clock.ts';
import type { LedgerWrite } from '../ledger-write.ts';
import { createCommitBatch } from './commit-batch.ts';

export interface WriteCommitter<Decision = unknown> {
  /** Calls back once the movement is committed, with what was decided then, or with the error that prevented it. */
  add(movement: LedgerWrite, done: (error: Error | undefined, decision?: Decision) => void): void;
  /** Resolves when everything added so far is committed; `then` runs at once, before anything else can be added. */
  flush(then?: () => void): Promise<void>;
  /** Movements that no commit has had yet. */
  readonly waiting: number;
  observe(watch: CommitObserver): void;
}

export interface GroupCommit extends WriteCommitter {
  /** Makes everything committed so far survive a power cut. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** A power cut may take at most this much of committed usage; payments are synced before they are answered. */
const SYNC_INTERVAL_MS = 1_000;
/** A commit costs the same for one movement and for fifty; a turn under load takes a fraction of a millisecond. */
const TURNS_MAX = 8;

export interface CommitObserver {
  committed(written: number, failed: number, ms: number): void;
}

/** @param machine clock by which a commit waits for a file that another process has locked */
export function createGroupCommit(db: SqliteEngine, timers: Timers, machine: Clock): GroupCommit {
  const commit = createCommitBatch(db.connection);
  // A file handle may be synced where Node's permission model is on; a bare descriptor may not.
  const walFile = open(`${db.file}-wal`, 'r');
  let movements: LedgerWrite[] = [];
  let callbacks: ((error: Error | undefined) => void)[] = [];
  let scheduled = false;
  let seen = 0;
  let turns = 0;
  let unsynced = false;
  let told: CommitObserver | undefined;
  /** When the file was first found locked, by `machine.elapsed`; undefined when the last commit was not kept waiting. */
  let lockedSince: number | undefined;

  const isLockedOut = (failures: ReadonlyMap<LedgerWrite, Error>): boolean => {
    const [first] = failures.values();
    if (!isBusy(first)) return false;
    lockedSince ??= machine.elapsed();
    return machine.elapsed() - lockedSince < BUSY_MAX_MS;
  };
  /** Commits what was added. @returns false while another process has locked the file, and everything is still to do */
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
    told?.committed(batch.length - failures.size, failures.size, performance.now() - begun);
    if (failures.size < batch.length) unsynced = true;
    batch.forEach((movement, index) => waiting[index]?.(failures.get(movement)));
    return true;
  };
  /** Waits as long as each turn of the event loop brings more, but only for a few turns. */
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
    await (await walFile).datasync();
  };
  const timer = timers.every(SYNC_INTERVAL_MS, () => {
    if (unsynced) sync().catch(() => (unsynced = true));
  });

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
      told = watch;
    },
    async close() {
      timer.close();
      await (await walFile).close();
    },
  };
}
