import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { consumeRecord } from '../../../../tests/faults/consume-record.ts';
import { type Database, openDatabase } from '../db/db.ts';
import { systemClock } from '../platform/clock.ts';
import { silentLog } from '../platform/log.ts';
import { type Ledger, openLedger, verifyLedger } from './ledger.ts';

let folder: string;
let db: Database;
let ledger: Ledger;

const open = async (): Promise<void> => {
  db = await openDatabase(join(folder, 'ledger.db'));
  ledger = openLedger(db, systemClock, silentLog);
};
/** As after a kill: what is committed is there, nothing else was done. */
const dieAndRestart = async (): Promise<void> => {
  await ledger.close();
  await db.close();
  await open();
};
const hold = (requestId: string) => ({ requestId, userId: 1, apiKeyId: 7, limited: true, amount: 100 });
const record = (requestId: string, points: number) => consumeRecord(requestId, 1, 7, points);
const recordOf = (requestId: string) =>
  db.writer.selectFrom('usage_record').selectAll().where('request_id', '=', requestId).execute();

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-recover-'));
  await open();
  await ledger.transaction(async (_trx, moves) => {
    await moves.openUserAccount(1);
    await moves.openKeyAccount(7, 1, 500);
    await moves.move({ kind: 'top-up', ref: 'first', userId: 1, amount: 1_000, note: '' });
  });
});
afterEach(async () => {
  await ledger.close();
  await db.close();
  rmSync(folder, { recursive: true, force: true });
});

test('a request with a checkpoint is charged it after a restart, once, and its record says why', async () => {
  await ledger.hold(hold('r1'));
  ledger.checkpoint('r1', 10, record('r1', 10));
  ledger.checkpoint('r1', 30, record('r1', 30));
  await dieAndRestart();
  await dieAndRestart();
  expect(ledger.availableOf(1)).toBe(970);
  const [only, ...more] = await recordOf('r1');
  expect(more).toEqual([]);
  expect(only).toMatchObject({ quota: 30, type: 'consume' });
  expect(only?.content).toContain('restarted');
  expect(ledger.budgetOf(1, 7)).toEqual({ total: 500, used: 30 });
  expect((await verifyLedger(db.writer)).problems).toEqual([]);
});

test('a request without a checkpoint costs nothing after a restart', async () => {
  await ledger.hold(hold('r1'));
  await dieAndRestart();
  expect(ledger.availableOf(1)).toBe(1_000);
  expect(await recordOf('r1')).toEqual([]);
  expect((await verifyLedger(db.writer)).problems).toEqual([]);
});

test('a checkpoint after the end of its request changes nothing', async () => {
  await ledger.hold(hold('r1'));
  ledger.checkpoint('r1', 10, record('r1', 10));
  await ledger.settle('r1', 25, record('r1', 25));
  ledger.checkpoint('r1', 90, record('r1', 90));
  await dieAndRestart();
  expect(ledger.availableOf(1)).toBe(975);
  expect(await recordOf('r1')).toHaveLength(1);
});
