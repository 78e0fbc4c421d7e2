/** A ledger on a database file of its own, for tests of how points move. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase } from '../db/db.ts';
import { type Ledger, openLedger, verifyLedger } from '../ledger/ledger.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { type Log, silentLog } from '../platform/log.ts';

export interface TestLedger {
  db: Database;
  ledger: Ledger;
  /** Closes and opens again, as after the end of the process: what waited is committed, nothing is ended. */
  restart(): Promise<void>;
  /** Waits until everything is committed, and says what does not add up. */
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
  /** The machine's clock: nodes detect a dead node by it. */
  machine?: Clock;
  /** A database of PostgreSQL; a file of its own when absent. */
  place?: string;
  /** Kept after the end when given. */
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
