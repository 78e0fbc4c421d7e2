import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createConsumeRecord } from '../../../../tests/faults/consume-record.ts';
import { openTestLedger, type TestLedger } from '../testing/test-ledger.ts';

const MORE_THAN_ARE_KEPT = 50_001;
const BALANCE = 1_000;

let testLedger: TestLedger;

beforeAll(async () => {
  testLedger = await openTestLedger();
  await testLedger.ledger.transaction(async (_trx, moves) => {
    await moves.openUserAccount(1);
    await moves.openKeyAccount(7, 1, 500);
    await moves.post({ kind: 'top-up', ref: 'first', userId: 1, amount: BALANCE, note: '' });
  });
  await sql`with recursive n(i) as (select 2 union all select i + 1 from n where i <= ${MORE_THAN_ARE_KEPT})
    insert into user_account (user_id, balance, held, used, requests) select i, 0, 0, 0, 0 from n`.execute(
    testLedger.db.writer,
  );
});
afterAll(() => testLedger.close());

const hold = (requestId: string) =>
  testLedger.ledger.hold({ requestId, userId: 1, apiKeyId: 7, limited: true, amount: 100 });

test('forgets accounts beyond the limit without losing holds and charges that are not written yet', async () => {
  const { ledger, db } = testLedger;
  expect(await hold('open')).toEqual({ held: true });
  expect(await hold('charged')).toEqual({ held: true });
  for (let userId = 2; userId <= MORE_THAN_ARE_KEPT; userId += 1) await ledger.readAvailable(userId);
  const charged = ledger.settle('charged', 30, createConsumeRecord('charged', 1, 7, 30));
  const held = hold('last');
  expect(await ledger.readAvailable(1)).toBe(BALANCE - 30 - 200);
  await Promise.all([charged, held]);
  expect(await ledger.readAvailable(1)).toBe(BALANCE - 30 - 200);
  // Only an account that is read again shows what something else has written.
  await db.writer.updateTable('user_account').set({ balance: 5 }).where('user_id', '=', 2).execute();
  expect(await ledger.readAvailable(2)).toBe(5);
  for (const requestId of ['open', 'last'])
    await ledger.settle(requestId, 10, createConsumeRecord(requestId, 1, 7, 10));
  expect(await ledger.readAvailable(1)).toBe(BALANCE - 50);
  expect(await ledger.readBudget(1, 7)).toEqual({ total: 500, used: 50 });
});
