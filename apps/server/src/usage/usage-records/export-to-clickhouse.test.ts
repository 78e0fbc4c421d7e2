import { createServer } from 'node:http';
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { listen } from '../../../../../tests/listen.ts';
import { readConfig } from '../../config.ts';
import { emptyRecord } from '../../ledger/ledger.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { advanceUntil, advanceWhile } from '../../testing/advance-until.ts';
import { openPostgresPool } from '../../testing/database-server.ts';
import { insertUsageRecords } from '../../testing/insert-usage-records.ts';
import { measureLongestBlock } from '../../testing/measure-longest-block.ts';
import { type ClickhouseFault, startClickhouse } from '../../testing/scripted-clickhouse.ts';
import { useFeatureApp } from '../../testing/start-feature-app.ts';
import { requireExported } from './export-to-clickhouse.ts';
import { exportToClickhouse, removeRecordsBefore } from './usage-records.ts';

const NOW = Date.UTC(2026, 10, 23, 12);
const DAY = 86_400;
const MINUTES = 60;

const clickhouse = await startClickhouse();
afterAll(() => clickhouse.close());
const { clickhouse: config } = readConfig({ CLICKHOUSE_URL: clickhouse.url, CLICKHOUSE_TABLE: 'calls' });
const app = await useFeatureApp([], { now: NOW });
const ctx = { ...app.ctx, config: { ...app.ctx.config, clickhouse: config } };
const user = await app.createUser('user');
const running = new AbortController().signal;
const isPostgres = app.ctx.db.engine.kind === 'postgres';

/** On PostgreSQL it waits until every number that was given is committed. */
const inTime = <T>(work: Promise<T>): Promise<T> => (isPostgres ? advanceWhile(app.clock, 0.1, work) : work);
const ship = () => inTime(exportToClickhouse(ctx, running));
const idsHere = async (): Promise<number[]> =>
  (await app.ctx.db.writer.selectFrom('usage_record').select('id').orderBy('id').execute()).map(({ id }) => id);
const idsThere = (): number[] => [...(clickhouse.rows?.keys() ?? [])];
const write = (count: number, record = {}) =>
  insertUsageRecords(
    app.ctx,
    user.id,
    Array.from({ length: count }, () => record),
  );

/** The next inserts go so, and those after them well. */
function next(...behaviours: readonly ClickhouseFault[]): void {
  const left = [...behaviours];
  clickhouse.injectFault = () => left.shift();
}

beforeEach(() => {
  clickhouse.injectFault = undefined;
  // What failed in the test before is over.
  app.clock.advance(10 * MINUTES);
});

test('makes the table, and sends every record there is, once', async () => {
  await write(3);
  await ship();
  expect(idsThere()).toEqual(await idsHere());
  const inserts = clickhouse.inserts;
  await ship();
  expect(clickhouse.inserts).toBe(inserts);
  const [row] = [...(clickhouse.rows?.values() ?? [])].slice(-1);
  expect(row).toMatchObject({ user_id: user.id, model: 'gpt-4o', quota: 10, created_at: NOW / 1000 + 600 });
});

test('a number that comes again after a restore, with another record, arrives', async () => {
  await write(1);
  await ship();
  const { writer } = app.ctx.db;
  const last = (await idsHere()).at(-1) ?? 0;
  await writer.updateTable('usage_record').set({ quota: 999 }).where('id', '=', last).execute();
  await writer
    .updateTable('shipped_record')
    .set({ last_id: last - 1 })
    .execute();
  await ship();
  expect(clickhouse.rows?.get(last)).toMatchObject({ quota: 999 });
});

test('searches for records that were not sent on the reading connection only', async () => {
  const { config, db } = ctx;
  const later = nowSeconds(app.clock) + 1;
  await write(1);
  await expect(requireExported({ config, db: { reader: db.reader } }, later)).rejects.toMatchObject({
    code: 'conflict',
  });
  await ship();
  await requireExported({ config, db: { reader: db.reader } }, later);
});

test('sends more rows than one insert holds in several inserts', async () => {
  const inserts = clickhouse.inserts;
  await write(5_001);
  await ship();
  expect(clickhouse.inserts).toBe(inserts + 2);
  expect(idsThere()).toEqual(await idsHere());
});

test.each(['refused', 'failed-late', 'cut', 'exception-in-success'] as const)(
  'an insert that is %s is sent again, and its rows are there once',
  async (behaviour) => {
    const { newRows } = clickhouse;
    await write(2);
    next(behaviour);
    await expect(ship()).rejects.toThrow();
    app.clock.advance(MINUTES);
    await ship();
    expect(idsThere()).toEqual(await idsHere());
    expect(clickhouse.newRows).toBe(newRows + 2);
  },
);

test('retries a failing ClickHouse with increasing delays, and the job shows the error meanwhile', async () => {
  await write(1);
  clickhouse.injectFault = () => 'refused';
  const { inserts } = clickhouse;
  await expect(ship()).rejects.toThrow('Too many queries');
  await expect(ship()).rejects.toThrow('Too many queries');
  expect(clickhouse.inserts).toBe(inserts + 1);
  app.clock.advance(21);
  await expect(ship()).rejects.toThrow('Too many queries');
  app.clock.advance(21);
  await expect(ship()).rejects.toThrow('Too many queries');
  expect(clickhouse.inserts).toBe(inserts + 2);
  app.clock.advance(20);
  clickhouse.injectFault = undefined;
  await ship();
  expect(idsThere()).toEqual(await idsHere());
});

test('a ClickHouse that does not respond does not keep the server from stopping', async () => {
  await write(1);
  next('silence');
  const stop = new AbortController();
  const { inserts } = clickhouse;
  const shipping = inTime(exportToClickhouse(ctx, stop.signal));
  await expect.poll(() => clickhouse.inserts).toBe(inserts + 1);
  stop.abort();
  await shipping;
  await ship();
  expect(idsThere()).toEqual(await idsHere());
});

test('records that have not arrived are not deleted', async () => {
  await write(2, { created_at: NOW / 1000 - 5 * DAY });
  await write(1);
  const before = await idsHere();
  const remove = () => advanceWhile(app.clock, 0.05, removeRecordsBefore(ctx, NOW / 1000 - 2 * DAY));
  await expect(remove()).rejects.toThrow('ClickHouse');
  expect(await idsHere()).toEqual(before);
  await ship();
  expect(await remove()).toBe(2);
  expect(await idsHere()).toHaveLength(before.length - 2);
  expect(idsThere()).toEqual(expect.arrayContaining(before));
});

test('a record that is written after all older ones were removed arrives, and replaces no other', async () => {
  await ship();
  const seen = idsThere().length;
  await write(3);
  await ship();
  app.clock.advance(10 * DAY);
  await advanceWhile(app.clock, 0.05, removeRecordsBefore(ctx, nowSeconds(ctx.clock)));
  await write(2);
  await ship();
  expect(idsThere()).toHaveLength(seen + 5);
  expect(idsThere()).toEqual(expect.arrayContaining(await idsHere()));
  // And now there is a newer one.
  app.clock.advance(10 * DAY);
  await write(1);
  await ship();
  await advanceWhile(app.clock, 0.05, removeRecordsBefore(ctx, nowSeconds(ctx.clock)));
  expect(await idsHere()).toHaveLength(1);
});

test.runIf(!isPostgres)(
  'a copy in a file, which knows no number of what went before it, sends what comes there',
  async () => {
    await ship();
    const [newest = 0] = (await idsHere()).slice(-1);
    await ctx.db.writer
      .updateTable('shipped_record')
      .set({ last_id: newest + 100 })
      .execute();
    await ship();
    await write(2);
    await ship();
    expect(idsThere()).toEqual(expect.arrayContaining(await idsHere()));
  },
);

test.runIf(isPostgres)('a record whose transaction commits late is not skipped for those after it', async () => {
  const { engine } = app.ctx.db;
  if (engine.kind !== 'postgres') return;
  await ship();
  const late = await engine.pool.connect();
  await late.query('begin');
  // The ledger's own commits are ended when they wait for a second.
  await late.query('set local idle_in_transaction_session_timeout = 0');
  const columns = Object.keys(emptyRecord).join(', ');
  await late.query(`insert into usage_record (request_id, created_at, type, user_id, ${columns})
    select 'late', created_at, type, user_id, ${columns} from usage_record order by id desc limit 1`);
  await write(2);
  const seen = idsThere().length;
  const reads = vi.spyOn(engine.pool, 'query');
  onTestFinished(() => reads.mockRestore());
  const shipping = exportToClickhouse(ctx, running);
  const looks = () => reads.mock.calls.filter(([query]) => query.includes('pg_snapshot_xip')).length;
  await advanceUntil(app.clock, () => expect(looks()).toBeGreaterThan(2), 0.5);
  expect(idsThere()).toHaveLength(seen);
  await late.query('commit');
  late.release();
  await inTime(shipping);
  expect(idsThere()).toHaveLength(seen + 3);
  expect(idsThere()).toEqual(expect.arrayContaining(await idsHere()));
});

test.runIf(isPostgres)('a long transaction of another database on the server delays nothing', async () => {
  const { engine } = app.ctx.db;
  if (engine.kind !== 'postgres') return;
  await ship();
  const others = openPostgresPool(Object.assign(new URL(engine.url), { pathname: 'postgres' }).href);
  onTestFinished(() => others.end());
  await others.query('begin');
  await others.query('select pg_current_xact_id()');
  await write(2);
  const before = app.clock.elapsed();
  await ship();
  expect(idsThere()).toEqual(expect.arrayContaining(await idsHere()));
  expect(app.clock.elapsed() - before).toBeLessThan(10_000);
  await others.query('rollback');
});

test('sends 5,000 records with details of 2 KB without blocking others', async () => {
  // The scripted ClickHouse reads inserts in this thread.
  const server = createServer((request, response) => request.resume().on('end', () => response.end()));
  onTestFinished(() => void server.close());
  const { clickhouse: sink } = readConfig({ CLICKHOUSE_URL: `http://127.0.0.1:${await listen(server)}` });
  const detail = JSON.stringify({ receipt: 'x'.repeat(2_000) });
  await write(5_000, { detail });
  const turn = await measureLongestBlock(() =>
    inTime(exportToClickhouse({ ...ctx, config: { ...ctx.config, clickhouse: sink } }, running)),
  );
  expect(turn).toBeLessThan(50);
});
