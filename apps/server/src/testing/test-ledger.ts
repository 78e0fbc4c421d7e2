/** Ledger on a separate database file, for tests of movements of points. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase } from '../db/open-database.ts';
import { type Ledger, openLedger, verifyLedger } from '../ledger/ledger.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { type Log, silentLog } from '../platform/log.ts';

export interface TestLedger {
  db: Database;
  ledger: Ledger;
  /**
   * Closes and reopens the ledger, like after the end of the process: queued entries are committed, holds stay open.
   */
  restart(): Promise<void>;
  /** Waits until everything is committed, and returns the discrepancies. */
  listDiscrepancies(): Promise<string[]>;
  close(): Promise<void>;
}

export async function openTestLedger({
  clock = systemClock,
  log = silentLog,
  machine = systemClock,
  place,
  dataDir,
}: {
  clock?: Clock;
  log?: Log;
  /** Machine's clock, by which nodes detect a dead node. */
  machine?: Clock;
  /** PostgreSQL database; default: a separate file. */
  place?: string;
  /** Kept after the end if it is set. */
  dataDir?: string;
} = {}): Promise<TestLedger> {
  const folder = dataDir ?? mkdtempSync(join(tmpdir(), 'switchyard-books-'));
  const open = async () => {
    const db = await openDatabase(place ?? join(folder, 'ledger.db'), undefined, undefined, machine);
    return { db, ledger: await openLedger(db, clock, log, folder) };
  };
  const shut = async ({ db, ledger }: { db: Database; ledger: Ledger }) => {
    await ledger.close();
    await db.close();
  };
  let current = await open();
  return {
    get db() {
      return current.db;
    },
    get ledger() {
      return current.ledger;
    },
    async restart() {
      await shut(current);
      current = await open();
    },
    async listDiscrepancies() {
      await current.ledger.transaction(async () => {});
      return (await verifyLedger(current.db.writer)).problems;
    },
    async close() {
      await shut(current);
      if (dataDir === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}
