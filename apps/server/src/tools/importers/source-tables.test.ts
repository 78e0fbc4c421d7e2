import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { openMysqlPool, openPostgresPool } from '../../testing/database-server.ts';
import {
  createEmptyDatabase,
  createEmptyMariadb,
  sharedMariadb,
  sharedPostgres,
} from '../../testing/shared-servers.ts';
import { openSourceTables } from './importers.ts';

let server: Awaited<ReturnType<typeof sharedPostgres>>;
let uri: string;
beforeAll(async () => {
  server = await sharedPostgres();
  if (server !== undefined) uri = await createEmptyDatabase(server);
});

test.for([
  'root:hidden-word@unix(/run/mysqld.sock)/name',
  'root:hidden-word@/name',
  'host=localhost user=root password=hidden-word dbname=name',
  'mysql://root:hidden-word@127.0.0.1:1/name',
  'mysql://root:hidden-word@127.0.0.1:port/name',
  'mysql://root:hidden-%word@127.0.0.1:1/name',
  'postgres://root:hidden-word@127.0.0.1:1/name',
  'postgres://root:hidden-word@127.0.0.1:port/name',
  'postgres://root:hidden-%word@127.0.0.1:1/name',
  'root:hidden-word@tcp(127.0.0.1:port)/name',
])('an address that leads nowhere is refused without its password: %s', async (from) => {
  const refusal: unknown = await openSourceTables(from).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(Error);
  expect(String(refusal)).not.toContain('hidden');
});

test('tables whose ids are small numbers are read', async ({ skip }) => {
  if (server === undefined) return skip('this machine has no PostgreSQL');
  const pool = openPostgresPool(uri);
  await pool.query('create table users (id integer primary key, created_at integer)');
  await pool.query('insert into users values (-2147483648, 1), (5, 9), (2147483647, 9)');
  await pool.end();
  const tables = await openSourceTables(uri);
  const ids = async (pages: AsyncIterable<readonly Readonly<Record<string, unknown>>[]>) => {
    const found: unknown[] = [];
    for await (const rows of pages) found.push(...rows.map((row) => row['id']));
    return found;
  };
  expect(await ids(tables.pages('users'))).toEqual([-2_147_483_648, 5, 2_147_483_647]);
  expect(await ids(tables.pagesSince('users', 'created_at', -5))).toHaveLength(3);
  expect(await ids(tables.pagesSince('users', 'created_at', 9))).toHaveLength(2);
  await tables.close();
});

test('a locked table does not block the import from PostgreSQL forever', async ({ skip }) => {
  if (server === undefined) return skip('this machine has no PostgreSQL');
  const pool = openPostgresPool(uri);
  await pool.query('create table channels (id integer primary key)');
  const tables = await openSourceTables(uri, 1_000);
  await pool.query('begin; lock table channels in access exclusive mode');
  await expect(tables.all('channels')).rejects.toThrow('statement timeout');
  await tables.close();
  await pool.end();
});

test('a locked table does not block the import from MySQL forever', async ({ skip }) => {
  const mariadb = await sharedMariadb();
  if (mariadb === undefined) return skip('this machine has no MariaDB');
  const databaseUrl = await createEmptyMariadb(mariadb);
  const pool = openMysqlPool(databaseUrl).promise();
  try {
    await pool.query('create table channels (id integer primary key)');
    const tables = await openSourceTables(databaseUrl, 1_000);
    const locker = await pool.getConnection();
    await locker.query('lock tables channels write');
    await expect(tables.all('channels')).rejects.toThrow(/timeout|max_statement_time/);
    await tables.close();
    locker.destroy();
  } finally {
    await pool.end();
  }
});

test.for([
  ['as bytes', 'blob', (nth: number) => Buffer.from(String(1_000 + nth))],
  ['with fractions', 'real', (nth: number) => nth + 0.5],
  ['that are words', 'text', (nth: number) => `word-${1_000 + nth}`],
] as const)(
  'a table of many rows with ids %s is refused, and neither read for ever nor in part',
  async ([, type, idOf]) => {
    const folder = mkdtempSync(join(tmpdir(), 'switchyard-source-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'odd.db');
    const connection = new DatabaseSync(file);
    connection.exec(`create table few (id ${type}); create table users (id ${type}); begin`);
    connection.prepare('insert into few values (?)').run(idOf(1));
    const insert = connection.prepare('insert into users values (?)');
    for (let nth = 0; nth < 1_500; nth += 1) insert.run(idOf(nth));
    connection.exec('commit');
    connection.close();
    const tables = await openSourceTables(file);
    const count = async (table: string): Promise<number> => {
      let rows = 0;
      for await (const page of tables.pages(table)) {
        rows += page.length;
        if (rows > 5_000) throw new Error('read for ever');
      }
      return rows;
    };
    expect(await count('few')).toBe(1);
    await expect(count('users')).rejects.toThrow('The table users has IDs that are not whole numbers');
    await tables.close();
  },
);

const endless = 'with recursive c(id) as (select 1 union all select id + 1 from c)';
test.each([
  ['a view', `create view users as ${endless} select id, 'u' || id as username from c`],
  [
    'a virtual table over a view',
    `create view v as ${endless} select id, 'u' || id as username from c;
     create virtual table users using fts5(username, content = 'v', content_rowid = 'id')`,
  ],
])('%s of a SQLite file is no table, because it may have rows without end', async (_what, statements) => {
  const tables = await openSourceTables(fileOf(statements));
  expect(tables.has('users')).toBe(false);
  expect(await tables.all('users')).toEqual([]);
  const pages = tables.pages('users')[Symbol.asyncIterator]();
  expect(await pages.next()).toMatchObject({ done: true });
  await tables.close();
});

test('a column that a SQLite file computes is not read, because it may be larger than the file', async () => {
  const tables = await openSourceTables(
    fileOf(`create table users (id integer primary key, username text generated always as (printf('%.*c', 900000000, 'x')));
      insert into users (id) values (1), (2)`),
  );
  expect(tables.hasColumn('users', 'username')).toBe(false);
  expect(await tables.all('users')).toEqual([{ id: 1n }, { id: 2n }]);
  await tables.close();
});

/** @returns the path of a SQLite file in which these statements were executed */
function fileOf(statements: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-source-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'one-api.db');
  const database = new DatabaseSync(file);
  database.exec(statements);
  database.close();
  return file;
}
