import { sql } from 'kysely';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { openPostgresPool } from '../../testing/database-server.ts';
import { writeOldDatabase, writeOldPostgres } from '../../testing/old-database.ts';
import { createEmptyDatabase, sharedPostgres } from '../../testing/shared-servers.ts';
import { waitUntilLocked } from '../../testing/wait-until-locked.ts';
import { openDatabase } from '../open-database.ts';
import { listRecordMonths } from '../record-partitions.ts';

const LAST = '0034-months-of-records';
const IN_TEN_YEARS = Math.floor(Date.now() / 1000) + 10 * 365 * 86_400;

const record = (id: number, createdAt: number, type = 'consume') => `
  insert into usage_record (id, request_id, created_at, type, user_id, model, group_symbol, quota, prompt_tokens,
    completion_tokens, cached_tokens, duration_ms, first_byte_ms, is_stream, address, usage_source, content, detail, cost)
  values (${id}, 'r${id}', ${createdAt}, '${type}', 1, 'm', 'default', 7, 1, 1, 0, 5, 1, 0, '', 'reported', '', '{}', ${id})`;
const rows = [record(3, 100), record(5, 1_700_000_000, 'top-up'), record(9, IN_TEN_YEARS)];

let server: Awaited<ReturnType<typeof sharedPostgres>>;
beforeAll(async () => {
  server = await sharedPostgres();
});
beforeEach(({ skip }) => {
  if (server === undefined) skip('PostgreSQL is not installed here');
});

/** As the version before left it, on PostgreSQL. */
async function writeOld(statements: readonly string[]): Promise<string> {
  if (server === undefined) throw new Error('No server was started');
  const target = await createEmptyDatabase(server);
  await writeOldPostgres(target, LAST, statements);
  return target;
}

test('keeps rows that a node of the previous version writes meanwhile, and does not reuse their ids', async () => {
  const target = await writeOld([]);
  const node = openPostgresPool(target);
  const inserted = (time: number) => record(0, time).replace('(id,', '(').replace('values (0,', 'values (');
  await node.query('begin');
  await node.query(inserted(100));
  const opening = openDatabase(target);
  await waitUntilLocked(target);
  await node.query(inserted(200));
  await node.query('commit');
  const db = await opening;
  await node.query(inserted(300));
  const stored = await db.writer.selectFrom('usage_record').select(['id', 'created_at']).orderBy('id').execute();
  expect(stored).toEqual([
    { id: 1, created_at: 100 },
    { id: 2, created_at: 200 },
    { id: 3, created_at: 300 },
  ]);
  await node.end();
  await db.close();
});

test('existing records do not change, and the next one gets a new id', async () => {
  const db = await openDatabase(
    await writeOld([...rows, `select setval(pg_get_serial_sequence('usage_record', 'id'), 20)`]),
  );
  const stored = await db.reader.selectFrom('usage_record').selectAll().orderBy('id').execute();
  expect(stored.map(({ id, request_id, cost }) => [id, request_id, cost])).toEqual([
    [3, 'r3', 3],
    [5, 'r5', 5],
    [9, 'r9', 9],
  ]);
  await sql`insert into usage_record (request_id, created_at, type, user_id, model, group_symbol, quota, prompt_tokens,
      completion_tokens, cached_tokens, duration_ms, first_byte_ms, is_stream, address, usage_source, content, detail)
    select 'next', created_at, type, user_id, model, group_symbol, quota, prompt_tokens, completion_tokens,
      cached_tokens, duration_ms, first_byte_ms, is_stream, address, usage_source, content, detail
    from usage_record where id = 9`.execute(db.writer);
  const next = db.reader.selectFrom('usage_record').select('id').where('request_id', '=', 'next');
  expect(await next.execute()).toEqual([{ id: 21 }]);
  const [first, ...others] = await listRecordMonths(db);
  expect(first).toMatchObject({ table: 'usage_record_first', from: 0 });
  expect(others).toEqual([]);
  await db.close();
});

test('lists find records by the same indexes as before', async () => {
  const db = await openDatabase(await writeOld(rows));
  const indexes = await sql<{ table: string; indexes: number; valid: number }>`
    select c.relname as "table", count(*) as indexes, count(*) filter (where i.indisvalid) as valid
    from pg_class c join pg_index i on i.indrelid = c.oid
    where c.relname like 'usage_record%' group by 1 order by 1`.execute(db.reader);
  expect(indexes.rows).toEqual(
    ['usage_record', 'usage_record_default', 'usage_record_first'].map((table) => ({ table, indexes: 6, valid: 6 })),
  );
  await db.close();
});

test('a new database has no table of old records', async () => {
  const db = await openDatabase(await writeOld([]));
  expect(await listRecordMonths(db)).toEqual([]);
  await db.close();
});

test('a file keeps its one table', async () => {
  const db = await openDatabase(await writeOldDatabase(LAST, rows.join(';')));
  expect(await db.reader.selectFrom('usage_record').select('id').orderBy('id').execute()).toEqual([
    { id: 3 },
    { id: 5 },
    { id: 9 },
  ]);
  expect(await listRecordMonths(db)).toEqual([]);
  await db.close();
});
