/** The ledger against a model: in any interleaving, no points are lost, doubled or overspent. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../apps/server/src/db/open-database.ts';
import { type Ledger, openLedger, verifyLedger } from '../../apps/server/src/ledger/ledger.ts';
import { systemClock } from '../../apps/server/src/platform/clock.ts';
import { AppError } from '../../apps/server/src/platform/http/app-error.ts';
import { silentLog } from '../../apps/server/src/platform/log.ts';
import * as tier from '../tier.ts';
import { createConsumeRecord } from './consume-record.ts';

const USERS = [1, 2, 3] as const;
const KEYS = [11, 12, 13, 14] as const;
/** Keys 11 and 12 have a limit, the others do not. */
const isLimited = (key: number): boolean => key <= 12;
const ownerOf = (key: number): number => USERS[key % USERS.length] ?? 1;

type Step =
  | { type: 'hold'; key: number; amount: number }
  | { type: 'raise'; pick: number; amount: number }
  | { type: 'settle'; pick: number; charge: number }
  | { type: 'settle-twice'; pick: number; charge: number }
  | { type: 'void'; pick: number }
  | { type: 'credit'; user: number; amount: number }
  | { type: 'deduct'; user: number; amount: number }
  | { type: 'limit'; key: number; remaining: number };

const amount = fc.integer({ min: 0, max: 400 });
const pick = fc.nat();
const key = fc.constantFrom(...KEYS);
const user = fc.constantFrom(...USERS);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('hold' as const), key, amount }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('raise' as const), pick, amount }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('settle' as const), pick, charge: amount }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('settle-twice' as const), pick, charge: amount }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('void' as const), pick }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('credit' as const), user, amount }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('deduct' as const), user, amount }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('limit' as const), key, remaining: amount }) },
);
/** Steps of one batch run concurrently; after a batch the process may be restarted. */
const history = fc.array(fc.record({ steps: fc.array(step, { maxLength: 12 }), reopen: fc.boolean() }), {
  maxLength: 8,
});

/** A ledger on a file, and its model. */
interface Books {
  db: Database;
  ledger: Ledger;
  open: { requestId: string; key: number; amount: number }[];
  balances: Map<number, number>;
  charged: number;
  made: number;
}

let folder: string;
let testLedger: Books;

async function openBooks(before?: Books): Promise<Books> {
  const db = await openDatabase(join(folder, 'ledger.db'));
  const ledger = await openLedger(db, systemClock, silentLog, folder);
  if (before !== undefined) return { ...before, db, ledger, open: [] };
  await ledger.transaction(async (_trx, moves) => {
    for (const id of USERS) await moves.openUserAccount(id);
    for (const id of KEYS) await moves.openKeyAccount(id, ownerOf(id), isLimited(id) ? 1_000 : 0);
  });
  return { db, ledger, open: [], balances: new Map(USERS.map((id) => [id, 0])), charged: 0, made: 0 };
}

async function closeBooks({ ledger, db }: Books): Promise<void> {
  await ledger.close();
  await db.close();
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-ledger-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const holdOf = ({ requestId, key: apiKeyId, amount: held }: Books['open'][number]) => ({
  requestId,
  userId: ownerOf(apiKeyId),
  apiKeyId,
  limited: isLimited(apiKeyId),
  amount: held,
});

function add(userId: number, points: number): void {
  testLedger.balances.set(userId, (testLedger.balances.get(userId) ?? 0) + points);
}

async function move(userId: number, points: number): Promise<void> {
  testLedger.made += 1;
  const ref = `m${testLedger.made}`;
  try {
    await testLedger.ledger.transaction((_trx, moves) =>
      moves.post({ kind: 'adjust', ref, userId, amount: points, note: '' }),
    );
    add(userId, points);
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'insufficient-balance')) throw error;
  }
}

function settle(index: number, charge: number): string | undefined {
  const [hold] = testLedger.open.splice(index % Math.max(testLedger.open.length, 1), 1);
  if (hold === undefined) return undefined;
  // Never more than was held here: then no order of events may lead to an overdraft.
  const points = Math.min(charge, hold.amount);
  const userId = ownerOf(hold.key);
  void testLedger.ledger.settle(hold.requestId, points, createConsumeRecord(hold.requestId, userId, hold.key, points));
  add(userId, -points);
  testLedger.charged += points;
  return hold.requestId;
}

async function take(step: Step): Promise<void> {
  switch (step.type) {
    case 'hold': {
      testLedger.made += 1;
      const requestId = `r${testLedger.made}`;
      const hold = { requestId, key: step.key, amount: step.amount };
      if ((await testLedger.ledger.hold(holdOf(hold))).held) testLedger.open.push(hold);
      break;
    }
    case 'raise': {
      const hold = testLedger.open[step.pick % Math.max(testLedger.open.length, 1)];
      if (hold !== undefined && (await testLedger.ledger.hold(holdOf({ ...hold, amount: step.amount }))).held)
        hold.amount = Math.max(hold.amount, step.amount);
      break;
    }
    case 'settle':
      settle(step.pick, step.charge);
      break;
    case 'settle-twice': {
      const requestId = settle(step.pick, step.charge);
      if (requestId === undefined) break;
      void testLedger.ledger.settle(requestId, 50, createConsumeRecord(requestId, 1, null, 50));
      testLedger.ledger.release(requestId);
      break;
    }
    case 'void': {
      const [hold] = testLedger.open.splice(step.pick % Math.max(testLedger.open.length, 1), 1);
      if (hold !== undefined) testLedger.ledger.release(hold.requestId);
      break;
    }
    case 'credit':
      await move(step.user, step.amount);
      break;
    case 'deduct':
      await move(step.user, -step.amount);
      break;
    case 'limit':
      await testLedger.ledger.transaction((_trx, moves) =>
        moves.setKeyRemaining(step.key, ownerOf(step.key), step.remaining),
      );
      break;
  }
}

async function audit(): Promise<void> {
  // A transaction commits everything that was added before it.
  await testLedger.ledger.transaction(async () => {});
  expect((await verifyLedger(testLedger.db.writer)).problems).toEqual([]);
  const held = new Map<number, number>();
  for (const hold of testLedger.open) held.set(ownerOf(hold.key), (held.get(ownerOf(hold.key)) ?? 0) + hold.amount);
  const accounts = await testLedger.db.writer.selectFrom('user_account').selectAll().execute();
  for (const account of accounts) {
    expect(account.balance).toBe(testLedger.balances.get(account.user_id));
    expect(account.held).toBe(held.get(account.user_id) ?? 0);
    expect(account.balance - account.held).toBeGreaterThanOrEqual(0);
    expect(await testLedger.ledger.readAvailable(account.user_id)).toBe(account.balance - account.held);
  }
  const { total } = await testLedger.db.writer
    .selectFrom('usage_record')
    .select((eb) => eb.fn.sum<number>('quota').as('total'))
    .where('type', '=', 'consume')
    .executeTakeFirstOrThrow();
  expect(total ?? 0).toBe(testLedger.charged);
}

test('keeps balance = credits − charges, and never overspends, in any order of events', async () => {
  await fc.assert(
    fc
      .asyncProperty(history, async (batches) => {
        testLedger = await openBooks();
        for (const { steps, reopen } of batches) {
          await Promise.all(steps.map(take));
          await audit();
          if (!reopen) continue;
          await closeBooks(testLedger);
          testLedger = await openBooks(testLedger);
          await audit();
        }
        await closeBooks(testLedger);
      })
      .beforeEach(() => {
        for (const file of readdirSync(folder)) rmSync(join(folder, file));
      }),
    { numRuns: tier.pick(50, 100), seed: 20_260_101 },
  );
});

describe('a balance for exactly ten holds', () => {
  const hold = (index: number, limited: boolean) => ({
    requestId: `c${index}`,
    userId: 1,
    apiKeyId: limited ? 12 : 13,
    limited,
    amount: 100,
  });

  test.each([
    ['of the user', 1_000, 100_000, 'user'],
    ['of the key', 100_000, 1_000, 'key'],
  ] as const)('%s admits ten of a thousand that ask at once', async (_whose, balance, remaining, short) => {
    testLedger = await openBooks();
    await move(1, balance);
    await testLedger.ledger.transaction((_trx, moves) => moves.setKeyRemaining(12, 1, remaining));
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, (_, index) => testLedger.ledger.hold(hold(index, true))),
    );
    expect(answers.filter((answer) => answer.held)).toHaveLength(10);
    expect(answers.find((answer) => !answer.held)).toEqual({ held: false, short, available: 0 });
    await testLedger.ledger.transaction(async () => {});
    const row = await testLedger.db.writer
      .selectFrom('hold')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    expect(row.count).toBe(10);
    await closeBooks(testLedger);
  });

  test('takes a charge above its hold in full, as an overdraft that refuses the next hold', async () => {
    testLedger = await openBooks();
    await move(1, 100);
    await testLedger.ledger.hold(hold(0, false));
    void testLedger.ledger.settle('c0', 250, createConsumeRecord('c0', 1, 13, 250));
    await testLedger.ledger.transaction(async () => {});
    expect(await testLedger.ledger.readAvailable(1)).toBe(-150);
    expect(await testLedger.ledger.hold({ ...hold(1, false), amount: 0 })).toMatchObject({ held: false });
    expect((await verifyLedger(testLedger.db.writer)).problems).toEqual([]);
    await closeBooks(testLedger);
  });
});
