import { sql } from 'kysely';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { emptyRecord } from '../ledger/ledger.ts';
import { createMigratedDatabase, sharedPostgres } from '../testing/shared-servers.ts';
import { createTestClock } from '../testing/test-clock.ts';
import { waitUntilLocked } from '../testing/wait-until-locked.ts';
import { type Database, openDatabase } from './open-database.ts';
import { createMonthsLike, createRecordMonths, dropMonth, listRecordMonths } from './record-partitions.ts';

const JANUARY = Date.UTC(2025, 0) / 1000;
const FEBRUARY = Date.UTC(2025, 1) / 1000;
const MARCH = Date.UTC(2025, 2) / 1000;

let server: Awaited<ReturnType<typeof sharedPostgres>>;
let target: string;
let db: Database;
/** The clock by which a connection without the lock retries. */
const machine = createTestClock(undefined);
beforeAll(async () => {
  server = await sharedPostgres();
});
beforeEach(async ({ skip }) => {
  if (server === undefined) return skip('PostgreSQL is not installed here');
  target = await createMigratedDatabase(server);
  db = await openDatabase(target, undefined, undefined, machine);
});
afterEach(() => db.close());

const write = (request_id: string, created_at: number, type: 'consume' | 'error' | 'top-up' = 'consume') =>
  db.writer
    .insertInto('usage_record')
    .values({ ...emptyRecord, request_id, created_at, type, user_id: 1 })
    .execute();

/** Lets the seconds pass after which it is tried again. */
async function laterDone(dropping: Promise<boolean> | undefined): Promise<void> {
  let isDone = false;
  void dropping?.then((done) => (isDone = done));
  const doneLater = (): boolean => {
    machine.advance(1);
    return isDone;
  };
  await expect.poll(doneLater, { interval: 10 }).toBe(true);
}

/** Each record, and the table that contains it. */
async function places(): Promise<Record<string, string>> {
  const { rows } = await sql<{ request_id: string; place: string }>`
    select request_id, tableoid::regclass::text as place from usage_record`.execute(db.writer);
  return Object.fromEntries(rows.map(({ request_id, place: column }) => [request_id, column]));
}

test('a record without a partition is accepted, and moves to its month once that is created', async () => {
  await write('past', JANUARY);
  await write('future', Date.UTC(2090, 5) / 1000);
  expect(await places()).toEqual({ past: 'usage_record_default', future: 'usage_record_default' });
  await createMonthsLike(db, db);
  await write('later', FEBRUARY - 1);
  expect(await places()).toEqual({
    past: 'usage_record_2025_01',
    later: 'usage_record_2025_01',
    future: 'usage_record_2090_06',
  });
});

test('creates this month and the next three once, also concurrently', async () => {
  await Promise.all([createRecordMonths(db), createRecordMonths(db)]);
  const months = await listRecordMonths(db);
  expect(months).toHaveLength(4);
  expect(months.slice(1).map(({ from }) => from)).toEqual(months.slice(0, -1).map(({ to }) => to));
  const now = Math.floor(Date.now() / 1000);
  await write('now', now);
  expect(Object.values(await places())).toEqual([months[0]?.table]);
});

test('records are written while months are made and dropped, and none fails', async () => {
  let isOver = false;
  let written = 0;
  const writing = [1, 2, 3].map(async (writer) => {
    while (!isOver) {
      await write(`${writer}-${written}`, FEBRUARY + (written % 100), written % 10 === 0 ? 'top-up' : 'error');
      written += 1;
    }
  });
  for (let round = 0; round < 5; round += 1) {
    await createMonthsLike(db, db);
    for (const month of await listRecordMonths(db)) await dropMonth(db, month);
  }
  isOver = true;
  await Promise.all(writing);
  expect(written).toBeGreaterThan(10);
  const topUps = await db.writer.selectFrom('usage_record').select('id').where('type', '=', 'top-up').execute();
  expect(topUps.length).toBeGreaterThanOrEqual(Math.floor(written / 10));
});

test('drops the calls of a month and nothing else', async () => {
  await write('before', FEBRUARY - 1);
  await write('call', FEBRUARY);
  await write('failed', MARCH - 1, 'error');
  await write('payment', FEBRUARY + 5, 'top-up');
  await write('after', MARCH);
  await createMonthsLike(db, db);
  const february = (await listRecordMonths(db)).find(({ from }) => from === FEBRUARY);
  if (february === undefined) throw new Error('February was not made');
  expect(await dropMonth(db, february)).toBe(true);
  expect(await places()).toEqual({
    before: 'usage_record_2025_01',
    payment: 'usage_record_default',
    after: 'usage_record_2025_03',
  });
});

test('drops a month once when several nodes drop it at the same time, without errors', async () => {
  await write('call', FEBRUARY);
  await write('payment', FEBRUARY + 5, 'top-up');
  await createMonthsLike(db, db);
  const months = await listRecordMonths(db);
  const drops = months.flatMap((month) => [1, 2, 3].map(() => dropMonth(db, month)));
  expect(await Promise.all(drops)).toEqual([true, true, true]);
  expect(await places()).toEqual({ payment: 'usage_record_default' });
});

test('drops no month during a snapshot read of all records', async () => {
  await write('before', FEBRUARY - 1);
  await write('call', FEBRUARY);
  await createMonthsLike(db, db);
  const february = (await listRecordMonths(db)).find(({ from }) => from === FEBRUARY);
  if (february === undefined) throw new Error('February was not made');
  let dropping: Promise<boolean> | undefined;
  const seen = await db.readLongRunning(async (reader) => {
    await sql`select 1 from user_account`.execute(reader);
    dropping = dropMonth(db, february);
    await waitUntilLocked(target);
    return reader.selectFrom('usage_record').select('request_id').orderBy('created_at').execute();
  });
  expect(seen.map(({ request_id }) => request_id)).toEqual(['before', 'call']);
  await laterDone(dropping);
  expect(Object.keys(await places())).toEqual(['before']);
});

test('sets the statistic of distinct ids in PostgreSQL once', async () => {
  const known = () =>
    sql<{ n_distinct: number }>`select n_distinct from pg_stats
      where tablename = 'usage_record' and attname = 'id' and inherited`.execute(db.writer);
  await createRecordMonths(db);
  expect((await known()).rows).toEqual([]);
  await write('one', JANUARY);
  await write('two', MARCH);
  await createRecordMonths(db);
  expect((await known()).rows).toEqual([{ n_distinct: -1 }]);
});
