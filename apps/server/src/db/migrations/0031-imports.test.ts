import { expect, test } from 'vitest';
import { writeOldDatabase } from '../../testing/old-database.ts';
import { openDatabase } from '../open-database.ts';

test('the accounts of the version before have used nothing before', async () => {
  const file = await writeOldDatabase(
    '0031-imports',
    'insert into user_account (user_id, balance, held, used, requests) values (7, 5, 0, 3, 1)',
  );
  const db = await openDatabase(file);
  expect(await db.writer.selectFrom('user_account').selectAll().execute()).toEqual([
    { user_id: 7, balance: 5, held: 0, used: 3, requests: 1, used_before: 0 },
  ]);
  await db.close();
});
