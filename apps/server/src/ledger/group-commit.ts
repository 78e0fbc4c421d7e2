/**
 * Collects movements that come together and commits them together, so that the cost of a transaction is shared by all
 * requests that arrived with it.
 */
import { closeSync, fdatasync, openSync } from 'node:fs';
import type { Database } from '../db/db.ts';
import { createCommitWriter } from './commit-writer.ts';
import type { Movement } from './movement.ts';

export interface GroupCommit {
  /** Calls back once the movement is committed, or with the error that prevented it. */
  add(movement: Movement, done: (error: Error | undefined) => void): void;
  /** Resolves when everything added so far is committed; `then` runs at once, before anything else can be added. */
  flushed(then?: () => void): Promise<void>;
  /** Makes everything committed so far survive a power cut. */
  sync(): Promise<void>;
  close(): void;
}

/** A power cut may take at most this much of committed usage; payments are synced before they are answered. */
const SYNC_INTERVAL_MS = 1_000;
/**
 * A commit costs nearly the same for one movement and for fifty, so those that come in quick succession wait for each
 * other this long. A movement that comes alone is committed in its turn of the event loop.
 */
const PACE_MS = 1;

export function createGroupCommit(db: Database): GroupCommit {
  const write = createCommitWriter(db.connection);
  const begin = db.connection.prepare('begin immediate');
  const commit = db.connection.prepare('commit');
  const walFile = openSync(`${db.file}-wal`, 'r');
  let movements: Movement[] = [];
  let callbacks: ((error: Error | undefined) => void)[] = [];
  let scheduled = false;
  let lastSize = 0;
  let lastAt = 0;
  let unsynced = false;

  const flush = (): void => {
    if (movements.length === 0) return;
    const batch = movements;
    const waiting = callbacks;
    movements = [];
    callbacks = [];
    let failure: Error | undefined;
    try {
      begin.run();
      write(batch);
      commit.run();
      unsynced = true;
    } catch (error) {
      failure = error instanceof Error ? error : new Error('The commit failed', { cause: error });
      if (db.connection.isTransaction) db.connection.exec('rollback');
    }
    for (const done of waiting) done(failure);
  };

  const turn = (): void => {
    db.lock.whenFree(() => {
      scheduled = false;
      lastSize = movements.length;
      flush();
      lastAt = performance.now();
    });
  };

  const sync = (): Promise<void> => {
    unsynced = false;
    return new Promise((resolve, reject) =>
      fdatasync(walFile, (error) => (error === null ? resolve() : reject(error))),
    );
  };
  const timer = setInterval(() => {
    if (unsynced) sync().catch(() => (unsynced = true));
  }, SYNC_INTERVAL_MS);
  timer.unref();

  return {
    add(movement, done) {
      movements.push(movement);
      callbacks.push(done);
      if (scheduled) return;
      scheduled = true;
      const isCrowded = lastSize > 1 && performance.now() - lastAt < PACE_MS;
      if (isCrowded) setTimeout(turn, PACE_MS);
      else setImmediate(turn);
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
    close() {
      clearInterval(timer);
      closeSync(walFile);
    },
  };
}
