import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { migrations } from '../../db/migration-list.ts';
import { writeOldDatabase } from '../../testing/old-database.ts';
import { startTestApp } from '../../testing/start-test-app.ts';
import { createMigratedFolder } from '../../testing/test-config.ts';
import { checkSchema } from './check-backup-schema.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchyard-schema-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Changes the stored text of a table, as no statement of SQL does. */
const rewrite = (table: string, from: string, to: string): string =>
  `PRAGMA writable_schema = ON;
   update sqlite_schema set sql = replace(sql, '${from}', '${to}') where name = '${table}';
   PRAGMA writable_schema = RESET`;

const alterations: readonly [what: string, statements: string][] = [
  ['trigger', 'create trigger t after insert on ledger_entry begin delete from hold; end'],
  ['trigger on an own table', 'create trigger t after update on user begin update user set role = 100; end'],
  [
    'replaced trigger',
    'drop trigger if exists audit_entry_no_update; create trigger audit_entry_no_update after insert on user begin select 1; end',
  ],
  ['view', 'create view v as select * from user'],
  ['view in the place of a table', 'drop table setting; create view setting as select 1 as name, 2 as value'],
  ['index', 'create index i on user (username)'],
  ['unique index', 'create unique index i on ledger_entry (created_at)'],
  ['index with an expression', 'create index i on user (hex(username))'],
  ['partial index', 'create index i on user (id) where id > 5'],
  ['table', 'create table foreign_table (a)'],
  ['virtual table', 'create virtual table words using fts5(a)'],
  ['table without rowid', 'create table w (a primary key) without rowid'],
  ['missing table', 'drop table setting'],
  ['column', 'alter table setting add column more text'],
  ['column with a default', `alter table user add column more text not null default 'x'`],
  ['generated column', 'alter table setting add column more text generated always as (upper(name)) virtual'],
  ['check', 'alter table setting add column more integer check (more > 5)'],
  ['renamed column', 'alter table setting rename column value to worth'],
  ['renamed table', 'alter table setting rename to settings'],
  ['dropped column', 'alter table setting drop column value'],
  ['rewritten type', rewrite('setting', 'text', 'blob')],
  ['rewritten not null', rewrite('setting', 'not null', '')],
  ['rewritten name of a table', `create table sqlitex_stat1 (a); ${rewrite('sqlitex_stat1', 'a', 'b')}`],
  ['application id', 'PRAGMA application_id = 5'],
  ['user version', 'PRAGMA user_version = 5'],
  ['list of migrations', `delete from kysely_migration where name like '0005%'`],
  ['no list of migrations', 'drop table kysely_migration'],
  ['view of migrations', 'drop table kysely_migration; create view kysely_migration as select 1 as name'],
];

test.each(alterations)('refuses a database with another %s', async (_what, statements) => {
  const file = await writeOldDatabase('9999', '');
  await checkSchema(file);
  const connection = new DatabaseSync(file, { defensive: false });
  connection.exec(statements);
  connection.close();
  await expect(checkSchema(file)).rejects.toThrow(/schema|list of migrations/);
});

test.each(Object.keys(migrations).slice(1))('accepts the database before the migration %s', async (name) => {
  await checkSchema(await writeOldDatabase(name, ''));
});

test('accepts the database of a server that runs, with the statistics of SQLite', async () => {
  const dataDir = createMigratedFolder(join(folder, 'running'));
  const app = await startTestApp({ dataDir });
  await app.createUser('root');
  await app.close();
  const file = join(dataDir, 'switchyard.db');
  const connection = new DatabaseSync(file);
  connection.exec('analyze');
  connection.close();
  await checkSchema(file);
});

test('names what differs and what to do', async () => {
  const file = await writeOldDatabase('9999', 'create trigger thief after insert on user begin select 1; end');
  await expect(checkSchema(file)).rejects.toThrow(
    'The schema of this database differs from the schema of Switchyard: trigger thief of user is unknown. Use a backup',
  );
});
