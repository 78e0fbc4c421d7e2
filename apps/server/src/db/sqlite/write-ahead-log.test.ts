import { mkdtempSync, rmSync, statSync } from 'node:fs';
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
