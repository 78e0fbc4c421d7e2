/** PostgreSQL's own behaviour; the suite in `tests/engines` covers what both databases promise. */
import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Schema } from '../../schema.ts';
import { createEmptyDatabase, createMigratedDatabase, sharedPostgres } from '../../testing/shared-servers.ts';
import { type Database, openDatabase } from '../db.ts';

let server: Awaited<ReturnType<typeof sharedPostgres>>;
let one: Database;

beforeAll(async () => {
  server = await sharedPostgres();
  if (server === undefined) return;
  one = await openDatabase(await createMigratedDatabase(server));
}, 60_000);
afterAll(async () => {
  if (server === undefined) return;
  await one.close();
});
beforeEach(async (context) => {
  if (server === undefined) return context.skip('PostgreSQL is not installed here');
  await one.writer.deleteFrom('setting').execute();
});

const put = (db: Kysely<Schema>, name: string, value: string) =>
  db.insertInto('setting').values({ name, value }).execute();

test('starts all nodes that open an empty database at the same time', async () => {
  if (server === undefined) return;
  // Two meet in about every fourth round.
  for (let round = 0; round < 12; round += 1) {
    const target = await createEmptyDatabase(server);
    const opened = await Promise.allSettled([1, 2, 3].map(() => openDatabase(target)));
    for (const one of opened) if (one.status === 'fulfilled') await one.value.close();
    expect(opened.filter(({ status }) => status === 'rejected')).toEqual([]);
  }
});

test('a text with NUL characters or half a character fails nothing that it is written or read with', async () => {
  const list = JSON.stringify(['a\0', '\uD800b', 'c']);
  await put(one.writer, 'x\0y', list);
  const { rows } = await sql<{ name: string; each: string }>`
    select name, json_each.value as "each" from setting, json_each(setting.value)`.execute(one.reader);
  expect(rows).toEqual(['a\uFFFD', '\uFFFDb', 'c'].map((each) => ({ name: 'x\uFFFDy', each })));
  const first = await sql<{ it: string }>`select json_extract(value, '$[1]') as it from setting`.execute(one.reader);
  expect(first.rows).toEqual([{ it: '\uFFFDb' }]);
});

test('one that cannot be reached is named as what it is', async () => {
  const url = 'postgres://somebody:secret-word@127.0.0.1:9/gate';
  const opened = openDatabase(url);
  await expect(opened).rejects.toThrow(/^PostgreSQL cannot be reached: connect ECONNREFUSED/);
  await expect(opened).rejects.not.toThrow('secret-word');
});
