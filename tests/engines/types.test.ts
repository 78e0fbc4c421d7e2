/** Both engines return values as they were written. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../apps/server/src/db/open-database.ts';
import { sql } from '../../apps/server/src/testing/any-table.ts';
import { engines, useTestDatabases } from './engines.ts';

const LARGEST = Number.MAX_SAFE_INTEGER;
const values: readonly (readonly [column: 'number' | 'fraction' | 'words' | 'bytes', value: unknown])[] = [
  ['number', 0],
  ['number', -1],
  ['number', LARGEST],
  ['number', -LARGEST],
  ['number', null],
  ['fraction', 0.1],
  ['fraction', -1e-9],
  ['fraction', 1e300],
  ['words', ''],
  ['words', ' spaces '],
  ['words', 'line\nbreak\ttab'],
  ['words', 'quotes \' and " and \\'],
  ['words', '日本語 العربية 한국어'],
  ['words', 'e\u0301 and \u00e9'],
  ['words', '\u{1f469}\u200d\u{1f4bb}'],
  ['words', 'x'.repeat(100_000)],
  ['words', null],
  ['bytes', Buffer.from([])],
  ['bytes', Buffer.from([0, 1, 254, 255, 0])],
  ['bytes', null],
];

describe.each(engines)('$name', (engine) => {
  const places = useTestDatabases(engine);
  let db: Database;
  beforeEach(async () => {
    if (db !== undefined) return;
    db = await places.open();
    const isFile = engine.kind === 'sqlite';
    await sql
      .raw(
        `create table kinds (number ${isFile ? 'integer' : 'bigint'}, fraction ${isFile ? 'real' : 'double precision'},
         words text, bytes ${isFile ? 'blob' : 'bytea'})`,
      )
      .execute(db.writer);
  });
  const plain = (value: unknown): unknown => (value instanceof Uint8Array ? Buffer.from(value) : value);

  test.each(values)('returns %s unchanged: %j', async (column, value) => {
    const table = sql.table('kinds');
    await sql`delete from ${table}`.execute(db.writer);
    const { rows } = await sql<{ it: unknown }>`insert into ${table} (${sql.ref(column)}) values (${value})
      returning ${sql.ref(column)} as it`.execute(db.writer);
    const read = await sql<{ it: unknown }>`select ${sql.ref(column)} as it from ${table}`.execute(db.reader);
    for (const [row] of [rows, read.rows]) expect(plain(row?.it)).toEqual(value);
  });

  test('increments ids, and reuses none that was deleted', async () => {
    const insert = async (symbol: string): Promise<number> => {
      const group = {
        symbol,
        name: symbol,
        ratio_micros: 1,
        api_rate: 1,
        public: 1,
        enable: 1,
        order: 'weight' as const,
      };
      const { id } = await db.writer.insertInto('user_group').values(group).returning('id').executeTakeFirstOrThrow();
      return id;
    };
    const first = await insert('a');
    const second = await insert('b');
    expect(second).toBe(first + 1);
    await db.writer.deleteFrom('user_group').where('id', '=', second).execute();
    expect(await insert('c')).toBeGreaterThan(second);
  });
});
