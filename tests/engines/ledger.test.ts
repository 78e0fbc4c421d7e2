/** The ledger has the same guarantees on SQLite and, for several concurrent nodes, on PostgreSQL. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestClock } from '../../apps/server/src/testing/test-clock.ts';
import { openTestLedger, type TestLedger } from '../../apps/server/src/testing/test-ledger.ts';
import { createConsumeRecord } from '../faults/consume-record.ts';
import { engines, useTestDatabases } from './engines.ts';

const holdOf = (requestId: string, amount: number, more = {}) => ({
  requestId,
  userId: 1,
  apiKeyId: null,
  limited: false,
  amount,
  ...more,
});

describe.each(engines)('ledgers on $name', (engine) => {
  const places = useTestDatabases(engine);
  let testLedger: TestLedger;
  /** The ledger of another node; on SQLite, which has one node, the same as `books`. */
  let other: TestLedger;
  beforeEach(async () => {
    const databaseUrl = await places.createMigrated();
    const clock = createTestClock(Date.parse('2026-11-20T14:00:00Z'));
    testLedger = await openTestLedger({ place: databaseUrl, clock });
    other = engine.kind === 'postgres' ? await openTestLedger({ place: databaseUrl, clock }) : testLedger;
    await testLedger.ledger.transaction(async (_trx, moves) => {
      await moves.openUserAccount(1);
      await moves.openKeyAccount(7, 1, 1_000);
      await moves.post({ kind: 'top-up', ref: 'first', userId: 1, amount: 10_000, note: '' });
    });
  });
  afterEach(async () => {
    await testLedger?.close();
    if (other !== testLedger) await other.close();
  });

  test('hold exactly the balance under concurrent requests for more', async () => {
    const asked = Array.from({ length: 200 }, (_, n) => {
      const { ledger } = n % 2 === 0 ? testLedger : other;
      return ledger.hold(holdOf(`r${n}`, 1_000));
    });
    const answers = await Promise.all(asked);
    expect(answers.filter(({ held }) => held)).toHaveLength(10);
    expect(answers.find(({ held }) => !held)).toMatchObject({ short: 'user', available: 0 });
    expect(await other.ledger.readAvailable(1)).toBe(0);
    expect(await testLedger.listDiscrepancies()).toEqual([]);
  });

  test('a charge is written once with its record, regardless of later calls, and the other node sees it', async () => {
    await testLedger.ledger.hold(holdOf('a', 500, { apiKeyId: 7, limited: true }));
    await testLedger.ledger.settle('a', 300, createConsumeRecord('a', 1, 7, 300));
    await testLedger.ledger.settle('a', 999, createConsumeRecord('a', 1, 7, 999));
    testLedger.ledger.release('a');
    expect(await other.ledger.readCharge('a')).toBe(300);
    expect(await other.ledger.readAvailable(1)).toBe(9_700);
    expect(await other.ledger.readBudget(1, 7)).toEqual({ total: 1_000, used: 300 });
    expect(await testLedger.listDiscrepancies()).toEqual([]);
  });

  test('a limit of a key and a budget for a day apply across nodes', async () => {
    const key = { apiKeyId: 7, limited: true };
    expect(await testLedger.ledger.hold(holdOf('a', 900, key))).toEqual({ held: true });
    expect(await other.ledger.hold(holdOf('b', 200, key))).toMatchObject({ short: 'key', available: 100 });
    await testLedger.ledger.settle('a', 900, createConsumeRecord('a', 1, 7, 900));
    const budgets = { day: 1_000, week: null, month: null };
    const refused = await other.ledger.hold(holdOf('c', 200, { apiKeyId: 7, budgets }));
    expect(refused).toMatchObject({ short: 'day', available: 1_000 - 900 });
  });

  test.each<[string, number]>([
    ['user', 10_500],
    ['key', 1_500],
    ['day', 500],
  ])('usage of a delivered response is charged beyond the limit: %s', async (limit, spent) => {
    const { ledger } = testLedger;
    const budgets = { day: limit === 'day' ? 200 : null, week: null, month: null };
    const key = { apiKeyId: 7, limited: limit === 'key', budgets };
    await ledger.hold(holdOf('spent', 100, key));
    await ledger.settle('spent', spent, createConsumeRecord('spent', 1, 7, spent));
    expect(await other.ledger.hold(holdOf('more', 0, key))).toMatchObject({ held: false, short: limit });
    expect(await other.ledger.hold(holdOf('owed', 0, { ...key, isOwed: true }))).toEqual({ held: true });
    await other.ledger.settle('owed', 300, createConsumeRecord('owed', 1, 7, 300));
    expect(await ledger.readCharge('owed')).toBe(300);
    expect(await ledger.readAvailable(1)).toBe(10_000 - spent - 300);
    expect(await testLedger.listDiscrepancies()).toEqual([]);
  });

  test('a hold grows only if the balance allows it, and is released completely', async () => {
    await testLedger.ledger.hold(holdOf('a', 6_000));
    expect(await testLedger.ledger.hold(holdOf('a', 11_000))).toMatchObject({ held: false, short: 'user' });
    expect(await testLedger.ledger.hold(holdOf('a', 9_000))).toEqual({ held: true });
    expect(await other.ledger.readAvailable(1)).toBe(1_000);
    testLedger.ledger.release('a');
    await testLedger.listDiscrepancies();
    await expect.poll(() => other.ledger.readAvailable(1)).toBe(10_000);
  });

  test('a hold that outlives its request is ended once, by either node', async () => {
    await testLedger.ledger.hold(holdOf('a', 500));
    await testLedger.ledger.transaction((_trx, moves) => moves.keepHold('a'));
    const record = createConsumeRecord('a', 1, null, 400);
    const ends = [testLedger, other].map(({ ledger }) => ledger.settleLasting('a', record, 400));
    expect(await Promise.all(ends)).toEqual([400, 400]);
    expect(await testLedger.ledger.readAvailable(1)).toBe(9_600);
    expect(await testLedger.listDiscrepancies()).toEqual([]);
  });

  test('nodes that settle a hold differently all get the result of the first', async () => {
    for (const id of ['a', 'b', 'c', 'd']) {
      await testLedger.ledger.hold(holdOf(id, 500));
      await testLedger.ledger.transaction((_trx, moves) => moves.keepHold(id));
      const [first, ...later] = await Promise.all([
        testLedger.ledger.settleLasting(id, createConsumeRecord(id, 1, null, 400), 400),
        other.ledger.settleLasting(id, createConsumeRecord(id, 1, null, 0)),
        other.ledger.settleLasting(id, createConsumeRecord(id, 1, null, 300), 300),
      ]);
      expect(later).toEqual([first, first]);
      expect(await other.ledger.readCharge(id)).toBe(first);
    }
    expect(await testLedger.listDiscrepancies()).toEqual([]);
  });

  test('a charge above its hold is taken only if balance and key cover it', async () => {
    const key = { apiKeyId: 7, limited: true };
    const end = async (id: string, charge: number) => {
      await testLedger.ledger.hold(holdOf(id, 400, key));
      await testLedger.ledger.transaction((_trx, moves) => moves.keepHold(id));
      const ordered = { charge: 400, record: createConsumeRecord(id, 1, 7, 400) };
      return other.ledger.settleLasting(id, createConsumeRecord(id, 1, 7, charge), charge, ordered);
    };
    expect(await end('a', 500)).toBe(500);
    expect(await end('b', 501)).toBe(400);
    expect(await testLedger.ledger.readBudget(1, 7)).toEqual({ total: 1_000, used: 900 });
    expect(await testLedger.listDiscrepancies()).toEqual([]);
  });

  test('a long-lived hold is created once by any node, and can grow', async () => {
    const line = holdOf('a', 500, { lasting: true });
    for (const node of [testLedger, testLedger, other]) expect(await node.ledger.hold(line)).toEqual({ held: true });
    expect(await testLedger.ledger.readAvailable(1)).toBe(9_500);
    expect(await other.ledger.hold({ ...line, amount: 900 })).toEqual({ held: true });
    expect(await testLedger.ledger.readAvailable(1)).toBe(9_100);
    await other.ledger.resume('a');
    await other.ledger.settle('a', 700, createConsumeRecord('a', 1, null, 700));
    expect(await testLedger.ledger.readAvailable(1)).toBe(9_300);
    expect(await testLedger.listDiscrepancies()).toEqual([]);
  });

  test('counts a top-up once, and does not spend held points', async () => {
    const again = testLedger.ledger.transaction((_trx, moves) =>
      moves.post({ kind: 'top-up', ref: 'first', userId: 1, amount: 10_000, note: '' }),
    );
    await expect(again).rejects.toMatchObject({ code: 'conflict' });
    await testLedger.ledger.hold(holdOf('a', 9_000));
    const taken = other.ledger.transaction((_trx, moves) =>
      moves.post({ kind: 'adjust', ref: 'x', userId: 1, amount: -2_000, note: '' }),
    );
    await expect(taken).rejects.toMatchObject({ code: 'insufficient-balance' });
    expect(await testLedger.ledger.readAvailable(1)).toBe(1_000);
  });

  test('a posting that fails does not affect the others of its commit', async () => {
    const answers = await Promise.allSettled([
      testLedger.ledger.hold(holdOf('a', 100)),
      testLedger.ledger.hold(holdOf('b', 100)),
      testLedger.ledger.hold(holdOf('b', 100, { requestId: 'a' })),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(await testLedger.listDiscrepancies()).toEqual([]);
  });
});
