/**
 * Collects the movements of one turn of the event loop and commits them together, so that the cost of a
 * transaction is shared by all requests that arrived with it.
 */
import { open } from 'node:fs/promises';
import type { SqliteEngine } from '../../db/db.ts';
import type { Timers } from '../../platform/clock.ts';
import type { Movement } from '../ledger-entry.ts';
import { createCommitBatch } from './commit-batch.ts';

export interface Commits<Decision = unknown> {
  /** Calls back once the movement is committed, with what was decided then, or with the error that prevented it. */
  add(movement: Movement, done: (error: Error | undefined, decision?: Decision) => void): void;
  /** Resolves when everything added so far is committed; `then` runs at once, before anything else can be added. */
  flushed(then?: () => void): Promise<void>;
  /** Movements that no commit has had yet. */
  readonly waiting: number;
  watch(watch: CommitWatch): void;
}

export interface GroupCommit extends Commits {
  /** Makes everything committed so far survive a power cut. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** A power cut may take at most this much of committed usage; payments are synced before they are answered. */
const SYNC_INTERVAL_MS = 1_000;
/** A commit costs the same for one movement and for fifty; a turn under load takes a fraction of a millisecond. */
const TURNS_MAX = 8;

export interface CommitWatch {
  committed(written: number, failed: number, ms: number): void;
}

export function createGroupCommit(db: SqliteEngine, timers: Timers): GroupCommit {
  const commit = createCommitBatch(db.connection);
  // A file handle may be synced where Node's permission model is on; a bare descriptor may not.
  const walFile = open(`${db.file}-wal`, 'r');
  let movements: Movement[] = [];
  let callbacks: ((error: Error | undefined) => void)[] = [];
  let scheduled = false;
  let seen = 0;
  let turns = 0;
  let unsynced = false;
  let told: CommitWatch | undefined;

  const flush = (): void => {
    if (movements.length === 0) return;
    const batch = movements;
    const waiting = callbacks;
    movements = [];
    callbacks = [];
    const begun = performance.now();
    const failures = commit(batch);
    told?.committed(batch.length - failures.size, failures.size, performance.now() - begun);
    if (failures.size < batch.length) unsynced = true;
    batch.forEach((movement, index) => waiting[index]?.(failures.get(movement)));
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
      flush();
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
    flushed: (then) =>
      new Promise((resolve) => {
        db.lock.whenFree(() => {
          flush();
          then?.();
          resolve();
        });
      }),
    sync,
    get waiting() {
      return movements.length;
    },
    watch(watch) {
      told = watch;
    },
    async close() {
      timer.close();
      await (await walFile).close();
    },
  };
}
