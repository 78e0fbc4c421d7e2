import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { ReadDiskStats } from '../platform/disk-space.ts';
import { version } from '../platform/version.ts';
import { getSqliteEngine } from '../testing/any-table.ts';
import { writeOldDatabase } from '../testing/old-database.ts';
import { migrations } from './migration-list.ts';
import { openDatabase } from './open-database.ts';

const names = Object.keys(migrations);
const last = names.at(-1) ?? '';
const ROWS = `insert into setting (name, value) values ('systemName', '"Before"')`;

function read(file: string, statement: string): unknown[] {
  const connection = new DatabaseSync(file, { readOnly: true });
  try {
    return connection.prepare(statement).all();
  } finally {
    connection.close();
  }
}

function change(file: string, statements: string): void {
  const connection = new DatabaseSync(file);
  connection.exec(statements);
  connection.close();
}

const systemName = (file: string): unknown[] => read(file, "select value from setting where name = 'systemName'");
const lastApplied = (file: string): unknown[] =>
  read(file, 'select name from kysely_migration order by name desc limit 1');

test('a new database and its files are readable for their owner only', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'switchyard-new-')), 'switchyard.db');
  const db = await openDatabase(file);
  for (const end of ['', '-wal', '-shm']) expect(statSync(`${file}${end}`).mode & 0o777).toBe(0o600);
  await db.close();
  rmSync(dirname(file), { recursive: true });
});

test('before an upgrade the database is copied as it was, for its owner alone', async () => {
  const file = await writeOldDatabase(last, ROWS);
  const db = await openDatabase(file, { copyFirst: true });
  getSqliteEngine(db).connection.exec(`update setting set value = '"After"' where name = 'systemName'`);
  await db.close();
  const copy = `${file}.before-${last}`;
  expect(systemName(copy)).toEqual([{ value: '"Before"' }]);
  expect(lastApplied(copy)).toEqual([{ name: names.at(-2) }]);
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  expect(lastApplied(file)).toEqual([{ name: last }]);
});

test('a new database, one that is up to date, and an operator who does without get no copy', async () => {
  const file = await writeOldDatabase(last, ROWS);
  const copies = () => readdirSync(dirname(file)).filter((name) => name.includes('before'));
  await (await openDatabase(`${file}.new`, { copyFirst: true })).close();
  await (await openDatabase(file, { copyFirst: false })).close();
  await (await openDatabase(file, { copyFirst: true })).close();
  expect(copies()).toEqual([]);
});

test('an upgrade that was killed half way keeps the copy from before it', async () => {
  const file = await writeOldDatabase(last, ROWS);
  await (await openDatabase(file, { copyFirst: true })).close();
  // As a kill leaves it: changed already, and not yet noted as done.
  change(
    file,
    `delete from kysely_migration where name = '${last}'; update setting set value = '"Half"' where name = 'systemName';`,
  );
  // Whether the migration can be made twice is another question.
  const again = await openDatabase(file, { copyFirst: true }).catch(() => undefined);
  await again?.close();
  expect(systemName(`${file}.before-${last}`)).toEqual([{ value: '"Before"' }]);
});

test('names a failed migration, its cause and the copy to restore, which stays the one from before the upgrade', async () => {
  const first = names.at(-2) ?? '';
  const file = await writeOldDatabase(first, `${ROWS}; alter table batch add column vendor_price text`);
  const copy = `${file}.before-${first}`;
  for (const start of ['first', 'second']) {
    await expect(openDatabase(file, { copyFirst: true }), start).rejects.toThrow(
      `The migration ${last} failed: duplicate column name: vendor_price. The database may be partly upgraded. Remove the cause, or install the earlier version; then restore the copy from before the upgrade: npm run switchyard -- restore ${copy} --replace`,
    );
    expect(lastApplied(file)).toEqual([{ name: first }]);
    expect(lastApplied(copy)).toEqual([{ name: names.at(-3) }]);
    expect(readdirSync(dirname(file)).filter((name) => name.includes('before'))).toEqual([basename(copy)]);
  }
});

test('tells an operator without a copy to restore a backup, and one of a new database to remove it', async () => {
  const file = await writeOldDatabase(last, 'alter table batch add column vendor_price text');
  await expect(openDatabase(file, { copyFirst: false })).rejects.toThrow(
    'restore a backup from before the upgrade: npm run switchyard -- restore FILE --replace',
  );
  change(`${file}.new`, 'create table ledger_entry (id integer)');
  await expect(openDatabase(`${file}.new`, { copyFirst: true })).rejects.toThrow(
    `The migration ${names[0]} failed: table ledger_entry already exists. Remove the cause and the new file ${file}.new, then start again.`,
  );
});

test('a database that was put back is copied again at its next upgrade', async () => {
  const file = await writeOldDatabase(last, ROWS);
  const copy = `${file}.before-${last}`;
  writeFileSync(copy, 'of another upgrade');
  await (await openDatabase(file, { copyFirst: true })).close();
  expect(systemName(copy)).toEqual([{ value: '"Before"' }]);
});

test('retains the newest two copies', async () => {
  const file = await writeOldDatabase(last, ROWS);
  for (const [index, name] of ['0001', '0002', '0003'].entries()) {
    writeFileSync(`${file}.before-${name}`, '');
    utimesSync(`${file}.before-${name}`, index + 1, index + 1);
  }
  await (await openDatabase(file, { copyFirst: true })).close();
  expect(
    readdirSync(dirname(file))
      .filter((name) => name.includes('.before'))
      .toSorted(),
  ).toEqual(['switchyard.db.before-0003', `switchyard.db.before-${last}`]);
});

test('a disk without room for the copy stops the upgrade before anything changes', async () => {
  const file = await writeOldDatabase(last, ROWS);
  const disk: ReadDiskStats = () => ({ bavail: 10, blocks: 1_000_000, bsize: 4096 });
  await expect(openDatabase(file, { copyFirst: true, disk })).rejects.toThrow(
    /before an upgrade\. The disk of \S+ has 0 MiB free, and 19[6-9] MiB are needed, of which 196 MiB stay free for the ledger\. Free some space\. Or back up elsewhere, and start once with BACKUP_BEFORE_UPGRADE=false\.$/,
  );
  expect(lastApplied(file)).toEqual([{ name: names.at(-2) }]);
  expect(existsSync(`${file}.before-${last}`)).toBe(false);
  await (await openDatabase(file, { copyFirst: false, disk })).close();
  expect(lastApplied(file)).toEqual([{ name: last }]);
});

test('a database of a newer version is refused by the name of that version, and left as it is', async () => {
  const file = await writeOldDatabase(last, ROWS);
  change(
    file,
    `insert into kysely_migration values ('9998-later', '2030-01-01'), ('9999-last', '2030-01-01');
     create table upgrade (migration varchar(255) not null primary key, version varchar(64) not null);
     insert into upgrade values ('9999-last', '7.8.9');`,
  );
  await expect(openDatabase(file, { copyFirst: true })).rejects.toThrow(
    `written by version 7.8.9 of Switchyard and this is version ${version}, which does not know 9998-later, 9999-last`,
  );
  expect(readdirSync(dirname(file)).filter((name) => name.includes('before'))).toEqual([]);
  expect(read(file, `select name from kysely_migration where name = '${last}'`)).toEqual([]);
});

test('every migration is noted with the version that made it', async () => {
  const file = await writeOldDatabase(last, ROWS);
  await (await openDatabase(file, { copyFirst: false })).close();
  expect(read(file, 'select migration, version from upgrade')).toEqual([{ migration: last, version }]);
});
