import { expect, test } from 'vitest';
import { writeOldDatabase } from '../../testing/old-database.ts';
import { openDatabase } from '../open-database.ts';

test('a database of the version before has no rule, and takes one', async () => {
  const file = await writeOldDatabase(
    '0026-content-safety',
    `insert into model_owner (id, name, icon) values (5001, 'Ours', '')`,
  );
  const db = await openDatabase(file);
  expect(await db.writer.selectFrom('safety_rule').selectAll().execute()).toEqual([]);
  expect(await db.writer.selectFrom('model_owner').select('name').execute()).toEqual([{ name: 'Ours' }]);
  const row = { day: 20_000, rule_id: 1, found: 2 };
  await db.writer.insertInto('safety_day').values(row).execute();
  await expect(db.writer.insertInto('safety_day').values(row).execute()).rejects.toThrow('UNIQUE');
  await db.close();
});
