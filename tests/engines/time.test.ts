/** The database's clock and the boundaries of days. */
import { beforeEach, describe, expect, test } from 'vitest';
import { openDatabaseClock } from '../../apps/server/src/db/database-clock.ts';
import type { Database } from '../../apps/server/src/db/open-database.ts';
import { silentLog } from '../../apps/server/src/platform/log.ts';
import { sql } from '../../apps/server/src/testing/any-table.ts';
import { createTestClock } from '../../apps/server/src/testing/test-clock.ts';
import { engines, useTestDatabases } from './engines.ts';

const DAY_SECONDS = 86_400;

describe.each(engines)('$name', (engine) => {
  const places = useTestDatabases(engine);
  let db: Database;
  beforeEach(async () => {
    db ??= await places.open();
  });

  test('returns the time in whole seconds of UTC', async () => {
    const before = Math.floor(Date.now() / 1000);
    const { rows } = await sql<{ now: number }>`select unixepoch() as now`.execute(db.writer);
    const now = rows[0]?.now ?? 0;
    expect(Number.isInteger(now)).toBe(true);
    // The database is on this machine.
    expect(now).toBeGreaterThanOrEqual(before - 1);
    expect(now).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000));
  });

  test.each([
    [0, '1970-01-01'],
    [-1, '1969-12-31'],
    [951_782_400, '2000-02-29'],
    [4_107_542_399, '2100-02-28'],
    [253_402_300_799, '9999-12-31'],
  ])('assigns the second %d to %s, in any time zone of the server', async (seconds, day) => {
    const { rows } = await sql<{ day: string }>`
      select date(cast(${seconds} as bigint), 'unixepoch') as day`.execute(db.reader);
    expect(rows.map((row) => row.day)).toEqual([day]);
  });

  test.each([
    [90_000, DAY_SECONDS],
    [DAY_SECONDS, DAY_SECONDS],
    [DAY_SECONDS - 1, 0],
  ])('counts the day of the second %d from %d', async (seconds, day) => {
    const time = sql`cast(${seconds} as bigint)`;
    const { rows } = await sql<{ day: number }>`select ${time} - ${time} % 86400 as day`.execute(db.reader);
    expect(rows.map((row) => row.day)).toEqual([day]);
  });

  test('several nodes use the database’s clock, and a single node the machine’s clock', async () => {
    const machine = createTestClock(Date.now() + DAY_SECONDS * 1000);
    const clock = await openDatabaseClock(db, silentLog, machine);
    if (engine.kind === 'sqlite') return expect(clock).toBeUndefined();
    expect(Math.abs((clock?.now() ?? 0) - Date.now())).toBeLessThan(60_000);
    expect(Math.round((clock?.machineAheadMs ?? 0) / 1000 / DAY_SECONDS)).toBe(1);
  });
});
