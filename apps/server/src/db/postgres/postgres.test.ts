/** PostgreSQL's own behaviour; the suite in `tests/engines` covers what both databases promise. */
import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Schema } from '../../schema.ts';
import { createEmptyDatabase, createMigratedDatabase, sharedPostgres } from '../../testing/shared-servers.ts';
import { type Database, openDatabase } from '../open-database.ts';

let server: Awaited<ReturnType<typeof sharedPostgres>>;
let one: Database;

beforeAll(async () => {
  server = await sharedPostgres();
  if (server === undefined) return;
  one = await openDatabase(await createMigratedDatabase(server));
});
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

test('an unreachable database is named in the error', async () => {
  const url = 'postgres://somebody:secret-word@127.0.0.1:9/gate';
  const opened = openDatabase(url);
  await expect(opened).rejects.toThrow(
    /^PostgreSQL cannot be reached: connect ECONNREFUSED.*\. Start it, or check DATABASE_URL/,
  );
  await expect(opened).rejects.not.toThrow('secret-word');
});

test.each([
  ['an absent database', 'database "absent" does not exist', { pathname: 'absent' }],
  ['an absent user', 'role "nobody" does not exist', { username: 'nobody' }],
] as const)(
  'a connection with %s is refused with the reason and the variable, without the address',
  async (_, reason, wrong) => {
    if (server === undefined) return;
    const target = new URL(await createEmptyDatabase(server));
    Object.assign(target, { password: 'secret-word', ...wrong });
    const opened = openDatabase(target.href);
    await expect(opened).rejects.toThrow(`PostgreSQL refused the connection: ${reason}. Check DATABASE_URL`);
    await expect(opened).rejects.not.toThrow('secret-word');
  },
);

test('a server without a free connection is not blamed on the address', async () => {
  if (server === undefined) return;
  const target = await createEmptyDatabase(server);
  await sql`alter database ${sql.id(new URL(target).pathname.slice(1))} connection limit 0`.execute(one.writer);
  const user = `limited_${new URL(target).pathname.slice(1)}`;
  await sql`create role ${sql.id(user)} login`.execute(one.writer);
  await expect(openDatabase(Object.assign(new URL(target), { username: user }).href)).rejects.toThrow(
    /^PostgreSQL refused the connection: too many connections for database .*\. Start again in a minute\.$/,
  );
});

test('a database of another owner is refused with the right that its user lacks', async () => {
  if (server === undefined) return;
  const target = new URL(await createEmptyDatabase(server));
  const stranger = target.pathname.slice(1);
  await sql`create role ${sql.id(stranger)} login`.execute(one.writer);
  target.username = stranger;
  await expect(openDatabase(target.href)).rejects.toThrow(
    /^PostgreSQL did not create the functions that Switchyard uses: (must be owner|permission denied).*\. Make the user of DATABASE_URL the owner/,
  );
});

test.each([
  ['read committed', 'read only'],
  ['repeatable read', 'read write'],
  ['repeatable read', 'read only'],
  ['serializable', 'read write'],
] as const)('runs a transaction at the isolation level "%s" and in the access mode "%s"', async (level, mode) => {
  if (server === undefined) return;
  const settings = await one.writer
    .transaction()
    .setIsolationLevel(level)
    .setAccessMode(mode)
    .execute((trx) =>
      sql<object>`select current_setting('transaction_isolation') as level,
        current_setting('transaction_read_only') as read_only`.execute(trx),
    );
  expect(settings.rows).toEqual([{ level, read_only: mode === 'read only' ? 'on' : 'off' }]);
});

test('single statements do not wait while more transactions than connections wait for the lock', async () => {
  if (server === undefined || one.engine.kind !== 'postgres') return;
  const holder = await one.engine.pool.connect();
  onTestFinished(() => holder.release(true));
  await holder.query('begin; set local idle_in_transaction_session_timeout = 0; select pg_advisory_xact_lock(7301916)');
  const waiting = Array.from({ length: 30 }, (_, nth) =>
    one.writer.transaction().execute((trx) => put(trx, `waiting ${nth}`, '1')),
  );
  await put(one.writer, 'single', '1');
  const names = one.reader.selectFrom('setting').select('name').execute();
  expect(await names).toEqual([{ name: 'single' }]);
  await holder.query('commit');
  await Promise.all(waiting);
  expect(await one.reader.selectFrom('setting').select('name').execute()).toHaveLength(31);
});

test('a copy reads the rows of one moment while the ledger commits', async () => {
  if (server === undefined || one.engine.kind !== 'postgres') return;
  const { pool } = one.engine;
  const count = async (db: Kysely<Schema>) => (await db.selectFrom('setting').select('name').execute()).length;
  await put(one.writer, 'before', '1');
  const counts = await one.writer
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => {
      const first = await count(trx);
      // Without the lock of the transactions, as the commits of the ledger.
      await pool.query(`insert into setting (name, value) values ('meanwhile', '2')`);
      return [first, await count(trx)];
    });
  expect(counts).toEqual([1, 1]);
  expect(await count(one.writer)).toBe(2);
});
