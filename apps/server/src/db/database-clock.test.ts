/** Nodes on one database have one time, whatever their machines say. */
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../platform/clock.ts';
import { createLog, silentLog } from '../platform/log.ts';
import { createDatabase, type DatabaseServer, startPostgres } from '../testing/database-server.ts';
import { createTestClock } from '../testing/test-clock.ts';
import { openDatabaseClock } from './database-clock.ts';
import { type Database, openDatabase } from './db.ts';

const DAY_SECONDS = 86_400;
/** A busy machine asks late; what is wrong by a clock is wrong by hours. */
const NEAR_MS = 2_000;

let server: DatabaseServer | undefined;
let url: string;
let db: Database;

beforeAll(async () => {
  server = await startPostgres();
  if (server === undefined) return;
  url = await createDatabase(server, 'clock');
  db = await openDatabase(url);
});
beforeEach((context) => {
  if (server === undefined) context.skip('PostgreSQL is not installed here');
});
afterAll(async () => {
  if (server === undefined) return;
  await db.close();
  await server.close();
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
  expect(clocks.map((clock) => Math.round((clock?.machineAheadMs ?? 0) / 86_400_000) + 0)).toEqual([
    0, 1, -1,
  ]);
  for (const machine of machines) machine.jump(-2 * DAY_SECONDS);
  expect(all()).toBe(true);
});

test('a wrong clock is told of once, and again when it is right', async () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  const machine = machineOff(DAY_SECONDS);
  const stop = (await openDatabaseClock(db, log, machine))?.follow();
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('86400');
  machine.jump(-DAY_SECONDS);
  await vi.waitFor(() => expect(lines.at(-1)).toContain('agrees'), 15_000);
  expect(lines).toHaveLength(2);
  await stop?.();
});

test('when the database’s own clock is set, time stands still rather than going back a little, and follows a lot', async () => {
  await db.writer.schema.createSchema('other').execute();
  const ask = new pg.Pool({
    connectionString: url,
    max: 1,
    options: '-c search_path=other,pg_catalog,public',
  });
  const setAhead = (seconds: number) =>
    ask.query(`create or replace function other.clock_timestamp() returns timestamptz language sql
      as 'select pg_catalog.clock_timestamp() + interval ''${seconds} seconds'''`);
  await setAhead(0);
  const clock = await openDatabaseClock({ engine: { kind: 'postgres', pool: ask } }, silentLog, systemClock);
  if (clock === undefined) throw new Error('A database has a clock');
  const stop = clock.follow();
  let last = clock.now();
  let wentBack = false;
  const watch = setInterval(() => {
    wentBack ||= clock.now() < last;
    last = clock.now();
  }, 10);
  await setAhead(-3);
  const isThreeBehind = (): boolean => clock.now() - Date.now() < -2_500;
  await vi.waitFor(() => expect(isThreeBehind()).toBe(true), 15_000);
  expect(wentBack).toBe(false);
  await setAhead(DAY_SECONDS);
  await vi.waitFor(() => expect(isNear(clock.now(), Date.now() + DAY_SECONDS * 1000)).toBe(true), 15_000);
  expect(wentBack).toBe(false);
  await setAhead(0);
  await vi.waitFor(() => expect(isNear(clock.now(), Date.now())).toBe(true), 15_000);
  clearInterval(watch);
  await stop();
  await ask.end();
}, 60_000);
