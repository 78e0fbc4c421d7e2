/** Each query has the same result on both engines. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../apps/server/src/db/open-database.ts';
import { contains, equalsIgnoringCase, startsWith } from '../../apps/server/src/db/paging.ts';
import { sql } from '../../apps/server/src/testing/any-table.ts';
import { engines, useTestDatabases } from './engines.ts';

type Row = Readonly<Record<string, unknown>>;

const HUGE = 9_007_199_254_740_993n;

/** Each query, and its result on both databases. */
const answers: readonly (readonly [what: string, statement: string, rows: readonly Row[]])[] = [
  ['a whole number', 'select 9007199254740991 as it', [{ it: 9_007_199_254_740_991 }]],
  [
    'a sum that is exact',
    'select sum(quota) as it from (select 4503599627370496 as quota union all select 4503599627370495) as n',
    [{ it: 9_007_199_254_740_991 }],
  ],
  ['a sum of nothing', 'select sum(value) as it from (select 1 as value) as n where value > 1', [{ it: null }]],
  ['a count', 'select count(*) as it from setting', [{ it: 0 }]],
  [
    'a comparison as 1 or 0',
    'select 1 < 2 as yes, 2 < 1 as no, null = 1 as unknown',
    [{ yes: 1, no: 0, unknown: null }],
  ],
  [
    'the number of rows of which it is so',
    'select sum(n > 1) as it from (select 1 as n union all select 2 union all select 3) as t',
    [{ it: 2 }],
  ],
  ['whether there is such a row', 'select exists (select 1 from setting) as it', [{ it: 0 }]],
  ['a fraction', 'select cast(1.5 as double precision) as it', [{ it: 1.5 }]],
  ['a division of whole numbers', 'select 7 / 2 as it, -7 / 2 as less', [{ it: 3, less: -3 }]],
  [
    'the larger of two',
    'select max(cast(3 as bigint), 5) as most, min(cast(3 as bigint), 5) as least',
    [{ most: 5, least: 3 }],
  ],
  ['one of two by a condition', "select iif(1 < 2, 'a', 'b') as it", [{ it: 'a' }]],
  [
    'where a text is within another',
    "select instr('switchyard', 'yard') as it, instr('a', 'b') as none",
    [{ it: 7, none: 0 }],
  ],
  [
    'a part of a text',
    "select substr('switchyard', 3, 4) as it, length('日本語') as signs",
    [{ it: 'itch', signs: 3 }],
  ],
  [
    'the day of a time',
    "select date(1767225599, 'unixepoch') as it, date(1767225600, 'unixepoch') as next",
    [{ it: '2025-12-31', next: '2026-01-01' }],
  ],
  [
    'the items of an array',
    `select json_each.value as it from json_each('["a","b c","日"]')`,
    [{ it: 'a' }, { it: 'b c' }, { it: '日' }],
  ],
  [
    'the items with their places',
    `select json_each.key as place, json_each.value as it from json_each('["x","y"]') where json_each.value = 'y'`,
    [{ place: 1, it: 'y' }],
  ],
  ['no items of an empty array', `select json_each.value as it from json_each('[]')`, []],
  [
    'a text within a document',
    `select json_extract('{"a":{"b":["c"]}}', '$.a.b[0]') as it, json_extract('{}', '$.a') as none`,
    [{ it: 'c', none: null }],
  ],
  [
    'nulls first upwards',
    'select n as it from (select 2 as n union all select null union all select 1) as t order by n nulls first',
    [{ it: null }, { it: 1 }, { it: 2 }],
  ],
  [
    'nulls last downwards',
    'select n as it from (select 2 as n union all select null union all select 1) as t order by n desc nulls last',
    [{ it: 2 }, { it: 1 }, { it: null }],
  ],
  [
    'a subquery for each row',
    'select n as it, (select count(*) from (select 1 as m union all select 2) as u where m < n) as less from (select 1 as n union all select 3) as t order by n',
    [
      { it: 1, less: 0 },
      { it: 3, less: 2 },
    ],
  ],
  ['a row among rows', "select 1 as it where (1, 'b') > (1, 'a') and (1, 'a') > (0, 'z')", [{ it: 1 }]],
  [
    'groups',
    "select g as it, count(*) as n from (select 'x' as g union all select 'x' union all select 'y') as t group by g having count(*) > 1",
    [{ it: 'x', n: 2 }],
  ],
  [
    'a running number',
    'select n as it, row_number() over (order by n desc) as place from (select 1 as n union all select 2) as t order by n',
    [
      { it: 1, place: 2 },
      { it: 2, place: 1 },
    ],
  ],
  [
    'rows one after the other by recursion',
    'with recursive n (i) as (select 1 union all select i + 1 from n where i < 4) select sum(i) as it from n',
    [{ it: 10 }],
  ],
];

describe.each(engines)('$name', (engine) => {
  const places = useTestDatabases(engine);
  let db: Database;
  beforeEach(async () => {
    db ??= await places.open();
    await db.writer.deleteFrom('setting').execute();
  });
  const put = (name: string, value = '') => db.writer.insertInto('setting').values({ name, value }).execute();

  test.each(answers)('returns %s', async (_what, statement, rows) => {
    for (const asked of [db.writer, db.reader])
      expect((await sql.raw<Row>(statement).execute(asked)).rows.map((row) => ({ ...row }))).toEqual(rows);
  });

  test('aggregates texts in an array', async () => {
    const { rows } = await sql<{ it: string }>`select json_group_array(t) as it
      from (select 'a' as t union all select 'b "c"' order by 1) as n`.execute(db.reader);
    expect(rows.map(({ it }) => JSON.parse(it) as unknown)).toEqual([['a', 'b "c"']]);
  });

  test.each([
    ['-9007199254740993', 'select -9007199254740993 as it'],
    ['a sum beyond', 'select sum(n) as it from (select 9007199254740991 as n union all select 9007199254740991) as t'],
  ])('refuses to return an integer that a number cannot hold: %s', async (_what, statement) => {
    for (const asked of [db.writer, db.reader]) await expect(sql.raw(statement).execute(asked)).rejects.toThrow();
  });

  test('stores an integer beyond the range of a number exactly, as text', async () => {
    const { rows } = await sql<{ it: string }>`select cast(cast(${HUGE} as bigint) as text) as it`.execute(db.writer);
    expect(rows.map(({ it }) => it)).toEqual([String(HUGE)]);
  });

  test('reports the number of changed rows, and returns them', async () => {
    await put('a', '1');
    await put('b', '1');
    const changed = db.writer.updateTable('setting').set({ value: '2' });
    expect((await changed.executeTakeFirstOrThrow()).numUpdatedRows).toBe(2n);
    const none = await changed.where('name', '=', 'c').executeTakeFirstOrThrow();
    expect(none.numUpdatedRows).toBe(0n);
    expect(await changed.where('name', '=', 'a').returningAll().execute()).toEqual([{ name: 'a', value: '2' }]);
    expect((await db.writer.deleteFrom('setting').executeTakeFirstOrThrow()).numDeletedRows).toBe(2n);
  });

  test('inserts, replaces or keeps an existing row, and returns what it wrote', async () => {
    const insert = (value: string) => db.writer.insertInto('setting').values({ name: 'a', value });
    await insert('1').execute();
    const kept = insert('2').onConflict((conflict) => conflict.column('name').doNothing());
    expect(await kept.returningAll().execute()).toEqual([]);
    const replaced = insert('3').onConflict((conflict) =>
      conflict.column('name').doUpdateSet((row) => ({ value: row.ref('excluded.value') })),
    );
    expect(await replaced.returningAll().execute()).toEqual([{ name: 'a', value: '3' }]);
    await expect(insert('4').execute()).rejects.toThrow(/unique/i);
  });

  test('finds nothing in an empty list, and everything outside of it', async () => {
    await put('a');
    const found = (is: 'in' | 'not in') =>
      db.reader.selectFrom('setting').select('name').where('name', is, []).execute();
    expect(await found('in')).toEqual([]);
    expect(await found('not in')).toEqual([{ name: 'a' }]);
  });

  test.each([
    ['a name whatever its capitals', equalsIgnoringCase('name', 'B'), ['B', 'b']],
    ['a name by capitals of ASCII alone', equalsIgnoringCase('name', 'Ä'), ['Ä']],
    ['the beginning of a text', startsWith('name', 'A_'), ['a_1']],
    ['a part of a text', contains('name', '1'), ['a1', 'a_1']],
    ['a percent sign as such', contains('name', '%'), ['5%']],
    ['a backslash as such', contains('name', '\\'), ['c:\\d']],
  ])('finds %s', async (_what, condition, names) => {
    for (const name of ['b', 'B', 'a_1', 'a1', 'Ä', 'ä', 'z', '5%', 'c:\\d']) await put(name);
    const found = await db.reader.selectFrom('setting').select('name').where(condition).orderBy('name').execute();
    expect(found.map(({ name }) => name)).toEqual(names);
  });

  test('refuses writes by readers', async () => {
    const write = db.reader.insertInto('setting').values({ name: 'a', value: '' });
    await expect(write.execute()).rejects.toThrow(/read-?only/i);
  });
});
