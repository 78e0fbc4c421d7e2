import { expect, test } from 'vitest';
import { writeOldDatabase } from '../../testing/old-database.ts';
import { openDatabase } from '../open-database.ts';

test('a list that the version before read is read again, and no reading has failed', async () => {
  const file = await writeOldDatabase(
    '0017-fetches-and-other-models',
    `insert into catalogue_list (id, created_time, source, format, scheduled, decided, digest, entries, problems)
      values (3, 100, 'https://list.example/a', 'switchyard', 1, 1, 'd', '[]', '[]')`,
  );
  const db = await openDatabase(file);
  expect(await db.writer.selectFrom('catalogue_list').selectAll().execute()).toEqual([]);
  expect(await db.writer.selectFrom('catalogue_fetch').selectAll().execute()).toEqual([]);
  await db.close();
});
