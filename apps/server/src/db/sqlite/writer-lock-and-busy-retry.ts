/**
 * Lock of the writing connection, and retries of statements while another process has locked the database file.
 * SQLite's own busy timeout would wait in the thread of the event loop, and so block every stream and every call.
 */
import type { DatabaseSync } from 'node:sqlite';
import { type Clock, sleep } from '../../platform/clock.ts';

/** Lock of the writing connection. A transaction holds it from begin to end. */
export interface WriterLock {
  readonly held: boolean;
  acquire(): Promise<void>;
  release(): void;
  /** Calls back once, as soon as the lock is free. */
  whenFree(callback: () => void): void;
}

export function createWriterLock(): WriterLock {
  let held = false;
  const waiting: (() => void)[] = [];
  const once: (() => void)[] = [];
  return {
    get held() {
      return held;
    },
    async acquire() {
      while (held) await new Promise<void>((resolve) => waiting.push(resolve));
      held = true;
    },
    release() {
      held = false;
      // The ledger goes first, because requests wait for it.
      for (const callback of once.splice(0)) callback();
      waiting.shift()?.();
    },
    whenFree(callback) {
      if (held) once.push(callback);
      else callback();
    },
  };
}

/** Milliseconds after which a statement fails because the file is locked. */
export const BUSY_MAX_MS = 5_000;
/**
 * Milliseconds between attempts. A backup tool holds its lock for longer, and a failed attempt costs some
 * microseconds.
 */
export const BUSY_RETRY_MS = 10;

const SQLITE_BUSY = 5;

/**
 * Returns whether another connection holds the lock that a statement needs. Nothing of the statement was executed.
 */
export function isBusy(error: unknown): boolean {
  // The low byte of an extended result code is the primary one.
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === SQLITE_BUSY;
}

/**
 * Function that runs a statement, and repeats it for up to `BUSY_MAX_MS` while the file is locked.
 * @throws what the statement throws
 */
type RunWhenUnlocked = <T>(statement: () => T | Promise<T>) => Promise<T>;

/**
 * @param lock of the connection; a statement holds it while it runs, and releases it while it waits, so that other
 * statements can read
 */
export function createBusyRetry(
  lock: Pick<WriterLock, 'acquire' | 'release'>,
  machine: Pick<Clock, 'after' | 'every' | 'elapsed'>,
): RunWhenUnlocked {
  // One statement retries for all that wait: thousands of retries every few milliseconds would keep the process
  // busy.
  const queue = createWriterLock();

  return async (statement) => {
    const deadline = machine.elapsed() + BUSY_MAX_MS;
    try {
      return await statement();
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    lock.release();
    await queue.acquire();
    try {
      for (;;) {
        await lock.acquire();
        try {
          return await statement();
        } catch (error) {
          if (!isBusy(error) || machine.elapsed() >= deadline) throw error;
        }
        lock.release();
        await sleep(machine, BUSY_RETRY_MS);
      }
    } finally {
      queue.release();
    }
  };
}

/**
 * Runs work that blocks this thread while the file is locked. Only used at the start, before any request is served.
 */
export function blockWhileBusy<T>(connection: DatabaseSync, work: () => T): T {
  connection.exec('PRAGMA busy_timeout = 5000');
  try {
    return work();
  } finally {
    connection.exec('PRAGMA busy_timeout = 0');
  }
}
