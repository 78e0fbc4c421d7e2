import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../db.ts';

const MB = 1_000_000;

test('the log stays short while somebody writes without pause, and what is committed meanwhile is there', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'switchyard-log-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, 'switchyard.db');
  const db = await openDatabase(file);
  await sql`create table pages (id integer primary key, content blob)`.execute(db.writer);
  let longest = 0;
  for (let id = 1; id <= 1_000; id += 1) {
    await sql`insert into pages values (${id}, zeroblob(250000))`.execute(db.writer);
    longest = Math.max(longest, statSync(`${file}-wal`).size);
    await pause(2);
  }
  expect(longest).toBeGreaterThan(16 * MB);
  // By those who write alone it would be copied at 128 MB.
  expect(longest).toBeLessThan(110 * MB);
  const { rows } = await sql`select count(*) as there from pages where length(content) = 250000`.execute(
    db.reader,
  );
  expect(rows).toEqual([{ there: 1_000 }]);
  await db.close();
}, 60_000);

test('a log that was long once begins anew no more often for it', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'switchyard-log-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, 'switchyard.db');
  const db = await openDatabase(file);
  const log = `${file}-wal`;
  // Each new beginning has another number there, and syncs the log within the commit of whoever writes.
  const beginnings = (): number => readFileSync(log).readUInt32BE(12);
  await sql`create table pages (id integer primary key, content blob)`.execute(db.writer);
  for (let id = 1; id <= 80; id += 1)
    await sql`insert into pages values (${id}, zeroblob(250000))`.execute(db.writer);
  expect(statSync(log).size).toBeGreaterThan(16 * MB);
  // All of it is copied, and the next one begins anew.
  await pause(1_000);
  await sql`insert into pages values (81, 'small')`.execute(db.writer);
  const before = beginnings();
  for (let id = 100; id < 300; id += 1) {
    await sql`insert into pages values (${id}, 'small')`.execute(db.writer);
    await pause(10);
  }
  expect(beginnings() - before).toBe(0);
  await db.close();
  expect(statSync(file).size).toBeGreaterThan(20 * MB);
}, 60_000);
