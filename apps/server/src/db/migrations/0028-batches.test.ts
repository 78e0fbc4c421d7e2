import { expect, test } from 'vitest';
import { writeOldDatabase } from '../../testing/old-database.ts';
import { openDatabase } from '../open-database.ts';

test('an account of the previous version keeps its data, and can have batches', async () => {
  const file = await writeOldDatabase(
    '0028-batches',
    `insert into user_account (user_id, balance, held, used, requests) values (7, 500, 0, 3, 1)`,
  );
  const db = await openDatabase(file);
  expect(await db.writer.selectFrom('user_account').select(['user_id', 'balance']).execute()).toEqual([
    { user_id: 7, balance: 500 },
  ]);
  const line = { batch_id: 'batch_1', line: 1, request_id: 'r', is_error: 0, output: null } as const;
  await db.writer.insertInto('batch_line').values(line).execute();
  await expect(db.writer.insertInto('batch_line').values(line).execute()).rejects.toThrow('UNIQUE');
  await db.close();
});
