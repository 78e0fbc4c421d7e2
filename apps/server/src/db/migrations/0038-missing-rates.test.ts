import { expect, test } from 'vitest';
import { writeOldDatabase } from '../../testing/old-database.ts';
import { openDatabase } from '../open-database.ts';

test('a database of the version before misses no rate, and remembers one of each counter', async () => {
  const file = await writeOldDatabase(
    '0038-missing-rates',
    `insert into model_owner (id, name, icon) values (5001, 'Ours', '')`,
  );
  const db = await openDatabase(file);
  expect(await db.writer.selectFrom('missing_rate').selectAll().execute()).toEqual([]);
  expect(await db.writer.selectFrom('model_owner').select('name').execute()).toEqual([{ name: 'Ours' }]);
  const row = { model: 'm', counter: 'webSearch' as const, version: 1, calls: 1, last_seen: 1 };
  await db.writer.insertInto('missing_rate').values(row).execute();
  await expect(db.writer.insertInto('missing_rate').values(row).execute()).rejects.toThrow('UNIQUE');
  await db.close();
});
