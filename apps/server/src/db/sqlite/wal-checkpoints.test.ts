import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { sleep, systemTimers } from '../../platform/clock.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { openDatabase } from '../open-database.ts';

const MB = 1_000_000;
/** Interval in seconds at which the log is checked. */
const LOOK_SECONDS = 0.25;

test('keeps the write-ahead log short under continuous writes, without losing commits', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'switchyard-log-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, 'switchyard.db');
  const machine = createTestClock(0);
  const db = await openDatabase(file, undefined, undefined, machine);
  await sql`create table pages (id integer primary key, content blob)`.execute(db.writer);
  let longest = 0;
  let patience = 64 * MB;
  for (let id = 1; id <= 600; id += 1) {
    await sql`insert into pages values (${id}, zeroblob(250000))`.execute(db.writer);
    longest = Math.max(longest, statSync(`${file}-wal`).size);
    if (id % 10 !== 0) continue;
    machine.advance(LOOK_SECONDS);
    await sleep(systemTimers, 10);
    // The thread gets its turn on a busy machine, too.
    if (longest <= patience) continue;
    patience = longest;
    await sleep(systemTimers, 300);
  }
  expect(longest).toBeGreaterThan(16 * MB);
  // By those who write alone it would be copied at 128 MB.
  expect(longest).toBeLessThan(110 * MB);
  const { rows } = await sql`select count(*) as there from pages where length(content) = 250000`.execute(db.reader);
  expect(rows).toEqual([{ there: 600 }]);
  await db.close();
});

test('does not restart the log more often after it was long once', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'switchyard-log-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, 'switchyard.db');
  const machine = createTestClock(0);
  const db = await openDatabase(file, undefined, undefined, machine);
  const log = `${file}-wal`;
  // Each restart of the log changes the number there, and syncs the log within a writer's commit.
  const beginnings = (): number => readFileSync(log).readUInt32BE(12);
  await sql`create table pages (id integer primary key, content blob)`.execute(db.writer);
  for (let id = 1; id <= 80; id += 1) await sql`insert into pages values (${id}, zeroblob(250000))`.execute(db.writer);
  expect(statSync(log).size).toBeGreaterThan(16 * MB);
  // Once the whole log is copied, the next write starts it from the beginning.
  const first = beginnings();
  let id = 80;
  const begunAgain = async (): Promise<number> => {
    machine.advance(LOOK_SECONDS);
    id += 1;
    await sql`insert into pages values (${id}, 'small')`.execute(db.writer);
    return beginnings();
  };
  await expect.poll(begunAgain, { interval: 10 }).toBe(first + 1);
  const before = beginnings();
  for (let nth = 1; nth <= 200; nth += 1) {
    id += 1;
    await sql`insert into pages values (${id}, 'small')`.execute(db.writer);
    if (nth % 10 !== 0) continue;
    machine.advance(LOOK_SECONDS);
    await sleep(systemTimers, 5);
  }
  expect(beginnings() - before).toBe(0);
  await db.close();
  expect(statSync(file).size).toBeGreaterThan(20 * MB);
});
