/** With a server of PostgreSQL and a streaming replica of it. */
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../platform/clock.ts';
import { silentLog } from '../../platform/log.ts';
import {
  createDatabase,
  type DatabaseServer,
  type ReplicaServer,
  startPostgres,
  startReplica,
} from '../../testing/database-server.ts';
import { type FaultyProxy, startFaultyProxy } from '../../testing/faulty-proxy.ts';
import { type Database, openDatabase } from '../open-database.ts';
import { openPool } from './pools.ts';
import { createLagTracker } from './replica.ts';
import { openReportDatabase } from './report-database.ts';

const MAX_LAG_MS = 2_000;
const SOON = { timeout: 60_000, interval: 50 };

describe('the lag of a replica', () => {
  test('reports no lag while the primary is idle, for any time', () => {
    const lag = createLagTracker();
    for (const at of [0, 1_000, 60_000]) lag.mark(at, 500);
    expect(lag.of(500)).toBe(0);
  });

  test('reports how long ago the primary was at the replica’s position', () => {
    const lag = createLagTracker();
    for (const [at, where] of [
      [1_000, 10],
      [2_000, 20],
      [3_000, 20],
      [4_000, 30],
    ] as const)
      lag.mark(at, where);
    expect(lag.of(20)).toBe(1_000);
    expect(lag.of(29)).toBe(1_000);
    lag.mark(5_000, 40);
    expect(lag.of(29)).toBe(2_000);
    expect(lag.of(40)).toBe(0);
  });

  test('reports no lag for a replica behind all marks, also at the first look', () => {
    const lag = createLagTracker();
    lag.mark(1_000, 10);
    expect(lag.of(5)).toBeUndefined();
    lag.mark(9_000, 20);
    expect(lag.of(5)).toBeUndefined();
    expect(lag.of(10)).toBe(8_000);
  });
});

describe('with a replica', () => {
  let server: DatabaseServer | undefined;
  let replica: ReplicaServer;
  let line: FaultyProxy;
  let target: string;
  let db: Database;

  beforeAll(async () => {
    server = await startPostgres();
    if (server === undefined) return;
    target = await createDatabase(server, 'reports');
    await (await openDatabase(target)).close();
    replica = await startReplica({ uri: target });
    line = await startFaultyProxy(replica.uri);
    db = await openDatabase(target, { copyFirst: false }, { url: line.url, maxLagMs: MAX_LAG_MS, log: silentLog });
  });
  afterAll(async () => {
    if (server === undefined) return;
    await db.close();
    await line.close();
    await replica.close();
    await server.close();
  });
  beforeEach(async (context) => {
    if (server === undefined) return context.skip('PostgreSQL is not installed here');
    await db.writer.deleteFrom('setting').execute();
    await becomes('in-use');
  });

  const becomes = (use: string) => expect.poll(() => db.replica?.use, SOON).toBe(use);
  const put = (name: string) => db.writer.insertInto('setting').values({ name, value: '1' }).execute();
  const namesIn = async (reading: Database['reader']): Promise<string[]> =>
    (await reading.selectFrom('setting').select('name').execute()).map(({ name }) => name);
  const isReplica = async (reading: Database['reader']): Promise<boolean> => {
    const { rows } = await sql<{ replays: number }>`select pg_is_in_recovery() as replays`.execute(reading);
    return rows[0]?.replays === 1;
  };

  test('reports are read there, and everything else where it was written', async () => {
    expect(await isReplica(db.reports)).toBe(true);
    expect(await isReplica(db.reader)).toBe(false);
    expect(await isReplica(db.writer)).toBe(false);
    await put('fresh');
    expect(await namesIn(db.reader)).toEqual(['fresh']);
    await expect.poll(() => namesIn(db.reports), SOON).toEqual(['fresh']);
  });

  test('a replica that has not heard enough is not asked until it has', async () => {
    await replica.query('select pg_wal_replay_pause()');
    await put('unheard');
    expect(await namesIn(db.reader)).toEqual(['unheard']);
    await becomes('behind');
    expect(db.replica?.lagMs).toBeGreaterThan(MAX_LAG_MS);
    expect(await namesIn(db.reports)).toEqual(['unheard']);
    expect(await isReplica(db.reports)).toBe(false);
    await replica.query('select pg_wal_replay_resume()');
    await becomes('in-use');
    expect(await namesIn(db.reports)).toEqual(['unheard']);
    expect(await isReplica(db.reports)).toBe(true);
  });

  test('a stopped replica fails no report, and is used again when it is back', async () => {
    const before = db.replica?.fallbacks ?? 0;
    await replica.stop();
    for (let n = 0; n < 5; n += 1) expect(await isReplica(db.reports)).toBe(false);
    expect(db.replica?.fallbacks).toBeGreaterThan(before);
    await becomes('away');
    expect(db.replica?.lagMs).toBe(undefined);
    await put('meanwhile');
    expect(await namesIn(db.reports)).toEqual(['meanwhile']);
    await replica.restart();
    await becomes('in-use');
    expect(await isReplica(db.reports)).toBe(true);
    // It may still replay earlier writes.
    await expect.poll(() => namesIn(db.reports)).toEqual(['meanwhile']);
  });

  test('a report that waits for a replica which has gone silent is answered by the primary', async () => {
    line.hang();
    const startedAt = performance.now();
    expect(await isReplica(db.reports)).toBe(false);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    await becomes('away');
    const next = performance.now();
    expect(await isReplica(db.reports)).toBe(false);
    expect(performance.now() - next).toBeLessThan(2_000);
    line.restore();
    await becomes('in-use');
  });

  test('a report that the replica cancels because of its replay is served by the primary', async () => {
    const conflict = sql`do $$ begin if pg_is_in_recovery() then
      raise exception 'canceling statement due to conflict with recovery' using errcode = '40001'; end if; end $$`;
    await conflict.execute(db.reports);
    const wrong = sql`select nothing from nowhere`.execute(db.reports);
    await expect(wrong).rejects.toThrow('nowhere');
  });

  test('a report is single queries, and writes nothing', async () => {
    await expect(db.reports.insertInto('setting').values({ name: 'a', value: '1' }).execute()).rejects.toThrow(
      'read-only',
    );
    await expect(db.reports.transaction().execute(async () => {})).rejects.toThrow('cannot use transactions');
  });

  describe('the replica of a database', () => {
    const open = (url: string) => {
      const pool = openPool(target, { max: 4 });
      const slices = vi.fn(async () => []);
      const opened = openReportDatabase(
        { url, maxLagMs: MAX_LAG_MS, log: silentLog },
        { pool, readers: pool, slices: slices as unknown as Database['sumRollups'] },
        systemClock,
      );
      return { ...opened, slices, end: () => opened.close().then(() => pool.end()) };
    };

    test('queries no server that is not a replica of this database', async () => {
      const other = Object.assign(new URL(line.url), { pathname: 'postgres' }).href;
      for (const url of [target, other]) {
        const { replica: followed, db: reports, end } = open(url);
        await expect.poll(() => followed.state.use, SOON).toBe('unfit');
        expect(await isReplica(reports)).toBe(false);
        await end();
      }
    });

    test('times out without sending a slow query to the primary', async () => {
      const { replica: followed, end } = open(line.url);
      await expect.poll(() => followed.state.use, SOON).toBe('in-use');
      const onPrimary = vi.fn(async () => 'answered');
      const slow = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
      await expect(followed.read(() => Promise.reject(slow), onPrimary)).rejects.toThrow(slow);
      expect(onPrimary).not.toHaveBeenCalled();
      await end();
    });

    test('sums up calls, which the primary packs', async () => {
      const { replica: followed, sumRollups, slices, end } = open(line.url);
      await expect.poll(() => followed.state.use, SOON).toBe('in-use');
      const hours = { sql: "select 1 as hour, '' as packed where not pg_is_in_recovery()", parameters: [] };
      const models = { kind: 'models', source: { hours, calls: undefined } } as const;
      expect(await sumRollups(models)).toEqual([]);
      expect(slices).not.toHaveBeenCalled();
      await sumRollups({ kind: 'pack', calls: hours });
      expect(slices).toHaveBeenCalledTimes(1);
      line.cut();
      await sumRollups(models);
      expect(slices).toHaveBeenCalledTimes(2);
      line.restore();
      await end();
    });
  });
});
