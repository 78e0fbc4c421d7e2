import { afterEach, beforeEach, expect, test } from 'vitest';
import { createConsumeRecord } from '../../../../tests/faults/consume-record.ts';
import { openTestLedger, type TestLedger } from '../testing/test-ledger.ts';

let testLedger: TestLedger;

const hold = (requestId: string) =>
  testLedger.ledger.hold({ requestId, userId: 1, apiKeyId: 7, limited: true, amount: 100 });
const record = (requestId: string, points: number) => createConsumeRecord(requestId, 1, 7, points);
const recordOf = (requestId: string) =>
  testLedger.db.writer.selectFrom('usage_record').selectAll().where('request_id', '=', requestId).execute();

beforeEach(async () => {
  testLedger = await openTestLedger();
  await testLedger.ledger.transaction(async (_trx, moves) => {
    await moves.openUserAccount(1);
    await moves.openKeyAccount(7, 1, 500);
    await moves.post({ kind: 'top-up', ref: 'first', userId: 1, amount: 1_000, note: '' });
  });
});
afterEach(() => testLedger.close());

test('a request with a checkpoint is charged once after a restart, with the reason in its record', async () => {
  await hold('r1');
  testLedger.ledger.checkpoint('r1', 10, record('r1', 10));
  testLedger.ledger.checkpoint('r1', 30, record('r1', 30));
  await testLedger.restart();
  await testLedger.restart();
  expect(await testLedger.ledger.readAvailable(1)).toBe(970);
  const [only, ...more] = await recordOf('r1');
  expect(more).toEqual([]);
  expect(only).toMatchObject({ quota: 30, type: 'consume' });
  expect(only?.content).toContain('restarted');
  expect(await testLedger.ledger.readBudget(1, 7)).toEqual({ total: 500, used: 30 });
  expect(await testLedger.listDiscrepancies()).toEqual([]);
});

test('a charge after a restart beyond the balance records the overdraft', async () => {
  await hold('r1');
  testLedger.ledger.checkpoint('r1', 1_500, record('r1', 1_500));
  await testLedger.restart();
  const [only] = await recordOf('r1');
  expect(JSON.parse(only?.detail ?? '{}')).toMatchObject({ overrun: 500 });
  expect(await testLedger.ledger.readAvailable(1)).toBe(-500);
  await testLedger.restart();
  expect(await testLedger.ledger.readAvailable(1)).toBe(-500);
  expect(await testLedger.listDiscrepancies()).toEqual([]);
});

test('a request without a checkpoint costs nothing after a restart', async () => {
  await hold('r1');
  await testLedger.restart();
  expect(await testLedger.ledger.readAvailable(1)).toBe(1_000);
  expect(await recordOf('r1')).toEqual([]);
  expect(await testLedger.listDiscrepancies()).toEqual([]);
});

test('a checkpoint after the end of its request changes nothing', async () => {
  await hold('r1');
  testLedger.ledger.checkpoint('r1', 10, record('r1', 10));
  await testLedger.ledger.settle('r1', 25, record('r1', 25));
  testLedger.ledger.checkpoint('r1', 90, record('r1', 90));
  await testLedger.restart();
  expect(await testLedger.ledger.readAvailable(1)).toBe(975);
  expect(await recordOf('r1')).toHaveLength(1);
});

test('a lasting hold survives restarts, and only its task ends it, once', async () => {
  await hold('r1');
  await hold('r2');
  const outlive = (...ids: string[]) =>
    testLedger.ledger.transaction(async (_trx, moves) => {
      for (const id of ids) await moves.keepHold(id);
    });
  await outlive('r1', 'r2');
  expect(testLedger.ledger.openHolds).toBe(0);
  testLedger.ledger.release('r1');
  await testLedger.ledger.settle('r2', 50, record('r2', 50));
  await testLedger.restart();
  expect(await testLedger.ledger.readAvailable(1)).toBe(800);
  expect(testLedger.ledger.openHolds).toBe(0);
  await testLedger.ledger.settleLasting('r1', record('r1', 30), 30);
  await testLedger.ledger.settleLasting('r1', record('r1', 30), 30);
  expect(await testLedger.ledger.readCharge('r1')).toBe(30);
  await testLedger.ledger.settleLasting('r2', { ...record('r2', 0), type: 'error' });
  await testLedger.ledger.settleLasting('r2', record('r2', 40), 40);
  await testLedger.restart();
  expect(await testLedger.ledger.readAvailable(1)).toBe(970);
  expect((await recordOf('r1')).map(({ quota }) => quota)).toEqual([30]);
  expect((await recordOf('r2')).map(({ type }) => type)).toEqual(['error']);
  expect(await testLedger.listDiscrepancies()).toEqual([]);
});

test('releases an open hold together with the other writes of the transaction, or not at all', async () => {
  await hold('r1');
  await hold('r2');
  const giveBack = (id: string) => testLedger.ledger.transaction((_trx, moves) => moves.releaseHold(id));
  await testLedger.ledger.transaction((_trx, moves) => moves.keepHold('r1'));
  const failing = testLedger.ledger.transaction(async (_trx, moves) => {
    await moves.releaseHold('r1');
    throw new Error('what was to be written could not be');
  });
  await expect(failing).rejects.toThrow('could not be');
  expect(await testLedger.ledger.readAvailable(1)).toBe(800);
  expect([await giveBack('r1'), await giveBack('r1'), await giveBack('r2')]).toEqual([true, false, false]);
  await testLedger.ledger.settleLasting('r1', record('r1', 40), 40);
  expect(await testLedger.ledger.readAvailable(1)).toBe(900);
  await testLedger.restart();
  expect(await testLedger.ledger.readAvailable(1)).toBe(1_000);
  expect(await recordOf('r1')).toEqual([]);
  expect(await testLedger.listDiscrepancies()).toEqual([]);
});

test('ends a hold once when it is settled and released at the same time', async () => {
  await hold('r1');
  await testLedger.ledger.transaction((_trx, moves) => moves.keepHold('r1'));
  const [isGivenBack] = await Promise.all([
    testLedger.ledger.transaction(async (trx, moves) => {
      const isGivenBack = await moves.releaseHold('r1');
      await trx.selectFrom('hold').selectAll().execute();
      return isGivenBack;
    }),
    testLedger.ledger.transaction(async () => {}),
    new Promise((resolve) => setImmediate(resolve)).then(() =>
      testLedger.ledger.settleLasting('r1', record('r1', 40), 40),
    ),
  ]);
  const charge = await testLedger.ledger.readCharge('r1');
  expect(charge).toBe(isGivenBack ? undefined : 40);
  expect(await testLedger.ledger.readAvailable(1)).toBe(1_000 - (charge ?? 0));
  await testLedger.restart();
  expect(await testLedger.ledger.readAvailable(1)).toBe(1_000 - (charge ?? 0));
  expect(await testLedger.listDiscrepancies()).toEqual([]);
});

test('only a reservation can outlive its request', async () => {
  await hold('r1');
  testLedger.ledger.release('r1');
  const late = testLedger.ledger.transaction((_trx, moves) => moves.keepHold('r1'));
  await expect(late).rejects.toThrow('a hold that does not exist');
  expect(await testLedger.ledger.readAvailable(1)).toBe(1_000);
});

test('starts and settles the others when the ledger refuses one settlement', async () => {
  await hold('r1');
  await hold('r2');
  testLedger.ledger.checkpoint('r1', 10, record('r1', 10));
  testLedger.ledger.checkpoint('r2', 30, record('r2', 30));
  await testLedger.ledger.transaction(async (trx) => {
    const entry = await trx.selectFrom('ledger_entry').selectAll().limit(1).executeTakeFirstOrThrow();
    await trx
      .insertInto('ledger_entry')
      .values({ ...entry, kind: 'charge', ref: 'r1', user_amount: 0, key_amount: 0 })
      .execute();
  });
  await testLedger.restart();
  expect(await recordOf('r2')).toHaveLength(1);
  // The hold that could not be settled keeps its 100 points.
  expect(await testLedger.ledger.readAvailable(1)).toBe(1_000 - 30 - 100);
});
