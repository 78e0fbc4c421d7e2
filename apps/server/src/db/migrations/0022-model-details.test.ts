import { expect, test } from 'vitest';
import { writeOldDatabase } from '../../testing/old-database.ts';
import { openDatabase } from '../open-database.ts';

test('keeps approved model facts of the previous version', async () => {
  const file = await writeOldDatabase(
    '0022-model-details',
    `insert into model_facts (model, facts, locked) values ('m', '{"context_length":5}', 1)`,
  );
  const db = await openDatabase(file);
  expect(await db.writer.selectFrom('model_facts').selectAll().execute()).toEqual([
    { model: 'm', facts: '{"context_length":5}', locked: 1 },
  ]);
  await db.writer.insertInto('model_detail').values({ model: 'm', facts: '{}' }).execute();
  const owner = { id: 5001, name: 'Ours', icon: '' };
  await db.writer.insertInto('model_owner').values(owner).execute();
  await expect(db.writer.insertInto('model_owner').values(owner).execute()).rejects.toThrow('UNIQUE');
  expect(await db.writer.selectFrom('model_owner').selectAll().execute()).toEqual([owner]);
  await db.close();
});
