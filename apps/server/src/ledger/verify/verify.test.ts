import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createConsumeRecord } from '../../../../../tests/faults/consume-record.ts';
import { openTestLedger, type TestLedger } from '../../testing/test-ledger.ts';
import { verifyReceipts } from './verify-charge-receipts.ts';

let testLedger: TestLedger;

beforeEach(async () => {
  testLedger = await openTestLedger();
  await testLedger.ledger.transaction(async (_trx, moves) => {
    await moves.openUserAccount(1);
    await moves.openKeyAccount(7, 1, 1_000);
    await moves.post({ kind: 'top-up', ref: 'first', userId: 1, amount: 10_000, note: '' });
  });
  const hold = { userId: 1, apiKeyId: 7, limited: true, amount: 100 };
  await testLedger.ledger.hold({ ...hold, requestId: 'ended' });
  await testLedger.ledger.settle('ended', 50, createConsumeRecord('ended', 1, 7, 50));
  await testLedger.ledger.hold({ ...hold, requestId: 'open' });
  expect(await testLedger.listDiscrepancies()).toEqual([]);
});
afterEach(() => testLedger.close());

test.each([
  {
    table: 'user_account',
    problems: ['balance of user 1: stored 0, computed 9950', 'held points of user 1: stored 0, computed 100'],
  },
  {
    table: 'key_account',
    problems: ['remaining points of token 7: stored 0, computed 950', 'held points of token 7: stored 0, computed 100'],
  },
])('an account that is missing in $table is found', async ({ table, problems }) => {
  await sql`delete from ${sql.table(table)}`.execute(testLedger.db.writer);
  expect(await testLedger.listDiscrepancies()).toEqual(problems);
});

test.each(['no JSON', 'null', '{"receipt":{}}'])(
  'a record with the detail %s, which has no readable receipt, is named',
  async (detail) => {
    await testLedger.db.writer.updateTable('usage_record').set({ detail }).execute();
    expect((await verifyReceipts(testLedger.db.writer)).problems).toEqual([
      'receipt of request ended: charged 50, computed unreadable',
    ]);
  },
);
