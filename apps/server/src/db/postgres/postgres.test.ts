/** What queries are promised on SQLite they are promised on PostgreSQL. */
import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { emptyDatabase, migratedDatabase, sharedPostgres } from '../../testing/shared-servers.ts';
import { type Database, openDatabase } from '../db.ts';
import { contains, isName, startsWith } from '../paging.ts';
import type { Schema } from '../schema.ts';

let server: Awaited<ReturnType<typeof sharedPostgres>>;
let one: Database;
let other: Database;

beforeAll(async () => {
  server = await sharedPostgres();
  if (server === undefined) return;
  const place = await migratedDatabase(server);
  one = await openDatabase(place);
  other = await openDatabase(place);
}, 60_000);
afterAll(async () => {
  if (server === undefined) return;
  await Promise.all([one.close(), other.close()]);
  await server.close();
});
beforeEach(async (context) => {
  if (server === undefined) return context.skip('PostgreSQL is not installed here');
  await one.writer.deleteFrom('setting').execute();
});

const put = (db: Kysely<Schema>, name: string, value: string) =>
  db.insertInto('setting').values({ name, value }).execute();
const names = async (): Promise<string[]> =>
  (await one.reader.selectFrom('setting').select('name').orderBy('name').execute()).map(({ name }) => name);

test('of nodes that start together on an empty database all come up', async () => {
  if (server === undefined) return;
  // Two meet in about every fourth round.
  for (let round = 0; round < 12; round += 1) {
    const place = await emptyDatabase(server);
    const opened = await Promise.allSettled([1, 2, 3].map(() => openDatabase(place)));
    for (const one of opened) if (one.status === 'fulfilled') await one.value.close();
    expect(opened.filter(({ status }) => status === 'rejected')).toEqual([]);
  }
});

test('transactions of several nodes take turns: what one has read is so until it has written', async () => {
  await put(one.writer, 'count', '0');
  const countOn = ({ writer }: Database) =>
    writer.transaction().execute(async (trx) => {
      const { value } = await trx
        .selectFrom('setting')
        .select('value')
        .where('name', '=', 'count')
        .executeTakeFirstOrThrow();
      await trx
        .updateTable('setting')
        .set({ value: String(Number(value) + 1) })
        .where('name', '=', 'count')
        .execute();
    });
  await Promise.all(Array.from({ length: 40 }, (_, n) => countOn(n % 2 === 0 ? one : other)));
  const { value } = await one.writer.selectFrom('setting').select('value').executeTakeFirstOrThrow();
  expect(value).toBe('40');
});

test('a transaction that fails gives its turn and its connection back', async () => {
  for (let n = 0; n < 20; n += 1) {
    const failing = one.writer.transaction().execute((trx) => sql`select 1 / 0`.execute(trx));
    await expect(failing).rejects.toThrow('division by zero');
  }
  await one.writer.transaction().execute((trx) => put(trx, 'after', ''));
  expect(await names()).toEqual(['after']);
});

test('an empty list holds nothing', async () => {
  await put(one.writer, 'a', '');
  const found = (is: 'in' | 'not in') =>
    one.reader.selectFrom('setting').select('name').where('name', is, []).execute();
  expect(await found('in')).toEqual([]);
  expect(await found('not in')).toEqual([{ name: 'a' }]);
});

test('texts are sorted byte by byte and found with the capitals of ASCII, whatever the server was set up for', async () => {
  for (const name of ['b', 'B', 'a_1', 'a1', 'Ä', 'ä', 'z']) await put(one.writer, name, '');
  expect(await names()).toEqual(['B', 'a1', 'a_1', 'b', 'z', 'Ä', 'ä']);
  const found = async (condition: ReturnType<typeof isName>) =>
    (await one.reader.selectFrom('setting').select('name').where(condition).orderBy('name').execute()).map(
      ({ name }) => name,
    );
  expect(await found(isName('name', 'B'))).toEqual(['B', 'b']);
  expect(await found(isName('name', 'Ä'))).toEqual(['Ä']);
  expect(await found(startsWith('name', 'A_'))).toEqual(['a_1']);
  expect(await found(contains('name', '1'))).toEqual(['a1', 'a_1']);
});

test('a text with NUL characters or half a character fails nothing that it is written or read with', async () => {
  const list = JSON.stringify(['a\0', '\uD800b', 'c']);
  await put(one.writer, 'x\0y', list);
  const { rows } = await sql<{ name: string; each: string }>`
    select name, json_each.value as "each" from setting, json_each(setting.value)`.execute(one.reader);
  expect(rows).toEqual(['a\uFFFD', '\uFFFDb', 'c'].map((each) => ({ name: 'x\uFFFDy', each })));
  const first = await sql<{ it: string }>`select json_extract(value, '$[1]') as it from setting`.execute(
    one.reader,
  );
  expect(first.rows).toEqual([{ it: '\uFFFDb' }]);
});

test('a reader writes nothing', async () => {
  await expect(put(one.reader, 'a', '')).rejects.toThrow('read-only');
});

test('one that cannot be reached is named as what it is', async () => {
  const url = 'postgres://somebody:secret-word@127.0.0.1:9/gate';
  const opened = openDatabase(url);
  await expect(opened).rejects.toThrow(/^PostgreSQL cannot be reached: connect ECONNREFUSED/);
  await expect(opened).rejects.not.toThrow('secret-word');
});
