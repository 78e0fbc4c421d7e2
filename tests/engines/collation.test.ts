/** Sorting and comparison of names in several languages. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../apps/server/src/db/open-database.ts';
import { engines, useTestDatabases } from './engines.ts';

/** Names in the order of their bytes, by which both engines sort. */
const SORTED = [
  '',
  '10',
  '9',
  'Anna',
  'Zoe',
  'anna',
  'straße',
  'zoe',
  'Ähre',
  'Émile',
  'Österreich',
  'ßa',
  'ärger',
  'émile',
  'Борис',
  'анна',
  'ישראל',
  'علي',
  'あい',
  'カナ',
  '张伟',
  '李娜',
  '한국',
  '\u{1f600}',
];

describe.each(engines)('$name', (engine) => {
  const places = useTestDatabases(engine);
  let db: Database;
  beforeEach(async () => {
    db ??= await places.open();
    await db.writer.deleteFrom('setting').execute();
    await db.writer.deleteFrom('user').execute();
  });

  test.each(['asc', 'desc'] as const)(
    'sorts names byte by byte, whatever the server was set up for: %s',
    async (direction) => {
      const rows = SORTED.toReversed().map((name) => ({ name, value: '' }));
      await db.writer.insertInto('setting').values(rows).execute();
      const found = await db.reader.selectFrom('setting').select('name').orderBy('name', direction).execute();
      expect(found.map(({ name }) => name)).toEqual(direction === 'asc' ? SORTED : SORTED.toReversed());
    },
  );

  test('compares texts as it sorts them', async () => {
    await db.writer
      .insertInto('setting')
      .values(SORTED.map((name) => ({ name, value: '' })))
      .execute();
    const after = db.reader.selectFrom('setting').select('name').where('name', '>', 'zoe').orderBy('name');
    expect((await after.execute()).map(({ name }) => name)).toEqual(SORTED.slice(SORTED.indexOf('zoe') + 1));
  });
});
