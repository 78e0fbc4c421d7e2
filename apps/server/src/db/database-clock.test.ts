/** Nodes on one database share its time, regardless of their machines' clocks. */
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { extractTimers } from '../platform/clock.ts';
import { createLog, silentLog } from '../platform/log.ts';
import { createMigratedDatabase, sharedPostgres } from '../testing/shared-servers.ts';
import { createTestClock } from '../testing/test-clock.ts';
import { openDatabaseClock } from './database-clock.ts';
import { type Database, openDatabase } from './open-database.ts';

const DAY_SECONDS = 86_400;
/** Tolerance for a busy machine; a wrong clock differs by hours. */
const NEAR_MS = 2_000;

let server: Awaited<ReturnType<typeof sharedPostgres>>;
let url: string;
let db: Database;

beforeAll(async () => {
  server = await sharedPostgres();
  if (server === undefined) return;
  url = await createMigratedDatabase(server);
  db = await openDatabase(url);
});
beforeEach((context) => {
  if (server === undefined) context.skip('PostgreSQL is not installed here');
});
afterAll(async () => {
  if (server === undefined) return;
  await db.close();
});

const machineOff = (seconds: number) => {
  const machine = createTestClock(undefined);
  machine.jump(seconds);
  return machine;
};
const isNear = (ms: number, expected: number): boolean => Math.abs(ms - expected) < NEAR_MS;

test('a machine whose clock is a day wrong, or is set by a day, has the time of the others', async () => {
  const machines = [0, DAY_SECONDS, -DAY_SECONDS].map(machineOff);
  const clocks = await Promise.all(machines.map((machine) => openDatabaseClock(db, silentLog, machine)));
  const all = (): boolean => clocks.every((clock) => isNear(clock?.now() ?? 0, Date.now()));
  expect(all()).toBe(true);
  expect(clocks.map((clock) => Math.round((clock?.machineAheadMs ?? 0) / 86_400_000) + 0)).toEqual([0, 1, -1]);
  for (const machine of machines) machine.jump(-2 * DAY_SECONDS);
  expect(all()).toBe(true);
});

test('logs a wrong clock once, and once more when it is corrected', async () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  const machine = machineOff(DAY_SECONDS);
  const byHand = createTestClock(0);
  const clock = await openDatabaseClock(db, log, { ...machine, ...extractTimers(byHand) });
  const stop = clock?.startMeasuring();
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('86400');
  machine.jump(-DAY_SECONDS);
  byHand.advance(5);
  await expect.poll(() => lines.at(-1)).toContain('agrees');
  expect(lines).toHaveLength(2);
  await stop?.();
});

test('time stops when the database’s clock is set back a little, and follows a large change', async () => {
  await db.writer.schema.createSchema('other').execute();
  const pool = new pg.Pool({
    connectionString: url,
    // One connection: a query waits for the measurement before it.
    max: 1,
    options: '-c search_path=other,pg_catalog,public',
  });
  onTestFinished(() => pool.end());
  const begin = Date.UTC(2026, 10, 20);
  const setTo = (ms: number) =>
    pool.query(`create or replace function other.clock_timestamp() returns timestamptz language sql
      as 'select to_timestamp(${ms / 1000})'`);
  await setTo(begin);
  const machine = createTestClock(begin);
  const clock = await openDatabaseClock(
    { engine: { kind: 'postgres', pool, url: '', onUncertainWrite() {} } },
    silentLog,
    machine,
  );
  if (clock === undefined) throw new Error('A database has a clock');
  const stop = clock.startMeasuring();
  onTestFinished(stop);
  const now = (): number => (clock.now() - begin) / 1000;
  const measureWhen = async (seconds: number): Promise<void> => {
    await setTo(begin + seconds * 1000);
    machine.advance(5);
    now();
    await pool.query('select 1');
  };
  expect(now()).toBe(0);
  // Three seconds behind where it should be by then.
  await measureWhen(2);
  expect(now()).toBe(5);
  machine.advance(2);
  expect(now()).toBe(5);
  machine.advance(2);
  expect(now()).toBe(6);
  await measureWhen(DAY_SECONDS);
  expect(now()).toBe(DAY_SECONDS);
  await measureWhen(20);
  expect(now()).toBe(20);
});
