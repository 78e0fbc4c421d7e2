import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { getSqliteEngine } from '../../testing/any-table.ts';
import { startRelayScene } from '../../testing/relay-scene.ts';
import { openDatabase } from '../open-database.ts';

test('lists are read while a report runs', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-sqlite-'));
  const db = await openDatabase(join(folder, 'new.db'));
  onTestFinished(async () => {
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  });
  let isReported = false;
  const report = sql`
    with recursive n (i) as (select 1 union all select i + 1 from n where i < 6000000) select max(i) from n`
    .execute(db.reports)
    .finally(() => (isReported = true));
  expect(await db.reader.selectFrom('avatar').select('user_id').execute()).toEqual([]);
  expect(isReported).toBe(false);
  await report;
});

test('a committed change is in effect although a full disk then kept its caller from publishing it', async (context) => {
  if (process.env['TEST_POSTGRES'] !== undefined) return context.skip('this is about a file');
  const scene = await startRelayScene();
  onTestFinished(() => scene.close());
  await scene.newChannel({});
  const statusOf = async () => (await scene.chat('scripted')).status;
  expect(await statusOf()).toBe(200);
  const { db } = scene.ctx;
  await db.writer.updateTable('api_key').set({ status: 'disabled' }).execute();
  expect(await statusOf()).toBe(200);
  const { connection } = getSqliteEngine(db);
  connection.exec('pragma max_page_count = 1');
  const large = { name: 'full', value: 'x'.repeat(10_000_000) };
  await expect(db.writer.insertInto('setting').values(large).execute()).rejects.toThrow('full');
  connection.exec('pragma max_page_count = 1000000');
  await expect.poll(statusOf, { interval: 100 }).toBe(401);
});

test('reports a damaged or a locked database with a remedy', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-sqlite-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const damaged = join(folder, 'damaged.db');
  writeFileSync(damaged, 'no database '.repeat(1_000));
  await expect(openDatabase(damaged)).rejects.toThrow(
    `The database ${damaged} is damaged (file is not a database). Restore a backup`,
  );
  const locked = join(folder, 'locked.db');
  const holder = new DatabaseSync(locked);
  holder.exec('create table t (a); begin exclusive');
  await expect(openDatabase(locked)).rejects.toThrow(`The database ${locked} is locked by another program.`);
  holder.close();
});
