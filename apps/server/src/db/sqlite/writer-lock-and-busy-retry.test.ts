import { DatabaseSync } from 'node:sqlite';
import { startCpuTimer } from '@switchyard/relay/cpu-timer';
import { sql } from 'kysely';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { sleep, systemTimers } from '../../platform/clock.ts';
import { getSqliteEngine } from '../../testing/any-table.ts';
import { createTestClock, type TestClock } from '../../testing/test-clock.ts';
import { openTestLedger, type TestLedger } from '../../testing/test-ledger.ts';

/** Another process's connection that has the file's write lock. */
let other: DatabaseSync;
let testLedger: TestLedger;
let machine: TestClock;

beforeEach(async () => {
  machine = createTestClock(0);
  testLedger = await openTestLedger({ machine });
  await sql`create table note (text text)`.execute(testLedger.db.writer);
  await testLedger.ledger.transaction((_trx, moves) => moves.openUserAccount(1));
  other = new DatabaseSync(getSqliteEngine(testLedger.db).file);
  other.exec('begin immediate');
  onTestFinished(async () => {
    other.close();
    await testLedger.close();
  });
});

const note = (text: string) => sql`insert into note values (${text})`;
const writes: Readonly<Record<string, () => Promise<unknown>>> = {
  'a statement': () => note('a').execute(testLedger.db.writer),
  'a transaction': () => testLedger.db.writer.transaction().execute((trx) => note('a').execute(trx)),
  'a transaction of the ledger': () => testLedger.ledger.transaction((trx) => note('a').execute(trx)),
  'a hold': () => testLedger.ledger.hold({ requestId: 'r', userId: 1, apiKeyId: null, limited: false, amount: 0 }),
};
const READS = 100;
const stateOf = (work: Promise<unknown>) => {
  const state = { is: 'waiting' };
  work.then(
    () => (state.is = 'done'),
    (error: unknown) => (state.is = String(error)),
  );
  return state;
};
const turns = () => sleep(systemTimers, 30);

describe.each(Object.keys(writes))('%s, while another process has locked the file', (what) => {
  const write = async () => writes[what]?.();

  test('does not block readers, and writes once the file is free', async () => {
    const startedAt = performance.now();
    const written = stateOf(write());
    await turns();
    for (let count = 0; count < READS; count += 1) await sql`select count(*) from note`.execute(testLedger.db.writer);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    machine.advance(4);
    await turns();
    expect(written.is).toBe('waiting');
    other.exec('rollback');
    machine.advance(0.01);
    await expect.poll(() => written.is).toBe('done');
  });

  test('fails after five seconds, together with the statements that wait behind it', async () => {
    const written = [stateOf(write()), stateOf(writes['a statement']?.() ?? Promise.reject(new Error()))];
    await turns();
    machine.advance(5);
    await expect
      .poll(() => {
        machine.advance(0.01);
        return written.map(({ is }) => is);
      })
      .toEqual([expect.stringMatching(/locked|unavailable/), expect.stringMatching(/locked/)]);
    other.exec('rollback');
    await note('later').execute(testLedger.db.writer);
  });
});

test('lets one of thousands of waiting statements retry', async () => {
  const { connection } = getSqliteEngine(testLedger.db);
  const waiting = Array.from({ length: 3_000 }, (_, nth) => note(String(nth)).execute(testLedger.db.writer));
  await turns();
  const readCpuMs = startCpuTimer();
  for (let count = 0; count < 100; count += 1) {
    machine.advance(0.01);
    await sleep(systemTimers, 1);
  }
  expect(readCpuMs()).toBeLessThan(300);
  other.exec('rollback');
  machine.advance(0.01);
  await Promise.all(waiting);
  expect(connection.prepare('select count(*) as notes from note').get()).toEqual({ notes: 3_000 });
  // First come, first written.
  const rows = connection.prepare('select text from note order by rowid').all();
  expect(rows.map(({ text }) => Number(text))).toEqual(Array.from({ length: 3_000 }, (_, nth) => nth));
});
