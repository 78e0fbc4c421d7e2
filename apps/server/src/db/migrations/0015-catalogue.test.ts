import { expect, test } from 'vitest';
import { writeOldDatabase } from '../../testing/old-database.ts';
import { openDatabase } from '../open-database.ts';

test('prices of the version before keep their rates, versions and locks, and no list waits', async () => {
  const file = await writeOldDatabase(
    '0015-catalogue',
    `insert into price_version (id, created_at, model, type, rates, image_rates, tiers)
      values (7, 100, 'old', 'tokens', '{"input":5,"output":6}', '{}', '[]');
    insert into price (model, type, channel_type, input, output, rates, image_rates, tiers, locked, version)
      values ('old', 'tokens', 1, 5, 6, '{"input":5,"output":6}', '{}', '[]', 1, 7)`,
  );
  const db = await openDatabase(file);
  expect(await db.writer.selectFrom('price').selectAll().executeTakeFirst()).toMatchObject({
    model: 'old',
    input: 5,
    locked: 1,
    version: 7,
  });
  expect(await db.writer.selectFrom('catalogue_list').selectAll().execute()).toEqual([]);
  expect(await db.writer.selectFrom('model_facts').selectAll().execute()).toEqual([]);
  await db.close();
});
