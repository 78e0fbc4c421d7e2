import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { silentLog } from '../platform/log.ts';
import { createMigratedDatabase, sharedPostgres } from '../testing/shared-servers.ts';
import { createTestClock } from '../testing/test-clock.ts';
import { type Leases, openLeases } from './leases.ts';
import { type Database, openDatabase } from './open-database.ts';

let server: Awaited<ReturnType<typeof sharedPostgres>>;
let db: Database;
/** The clock of both nodes' machines. */
const machine = createTestClock(0);
let one: Leases;
let other: Leases;

beforeAll(async () => {
  server = await sharedPostgres();
  if (server === undefined) return;
  db = await openDatabase(await createMigratedDatabase(server));
  one = openLeases({ ...db, machine }, silentLog);
  other = openLeases({ ...db, machine }, silentLog);
});
beforeEach((context) => {
  if (server === undefined) context.skip('PostgreSQL is not installed here');
});
afterAll(async () => {
  if (server === undefined) return;
  await one.close();
  await other.close();
  await db.close();
});

/** As after a node of which nothing was heard for the time of a lease. */
const lapse = (name: string) =>
  db.writer.updateTable('lease').set({ held_until: 0 }).where('name', '=', name).execute();
const namesOf = async (taken: ReturnType<Leases['acquire']>) => (await taken).map(({ name }) => name).toSorted();

test('gives each name to one of two nodes that ask at the same moment', async () => {
  const names = Array.from({ length: 40 }, (_, nth) => `at-once:${nth}`);
  const [mine, others] = await Promise.all([namesOf(one.acquire(names)), namesOf(other.acquire(names.toReversed()))]);
  expect([...mine, ...others].toSorted()).toEqual(names.toSorted());
});

test('a released lease can be taken at once, and one in cooldown when it is due', async () => {
  const [first] = await one.acquire(['work']);
  expect(await other.acquire(['work'])).toEqual([]);
  await first?.release();
  const [second] = await other.acquire(['work']);
  await second?.release(1_500);
  expect(await one.acquire(['work'])).toEqual([]);
  expect((await one.readStates(['work'])).get('work')).toMatchObject({ isHeld: false });
  const [third] = await one.acquire(['work'], 'not due');
  expect(third?.name).toBe('work');
  await third?.release(60_000);
  expect(await other.acquire(['work'])).toEqual([]);
  // A minute later, by the database's clock.
  await db.writer
    .updateTable('lease')
    .set((eb) => ({ rest_until: eb('rest_until', '-', 60_000) }))
    .where('name', '=', 'work')
    .execute();
  expect(await namesOf(other.acquire(['work']))).toEqual(['work']);
});

test('work that was delayed by a clock one day ahead becomes due', async () => {
  const [rested] = await one.acquire(['rested']);
  await rested?.release(60_000);
  expect(await other.acquire(['rested'])).toEqual([]);
  await db.writer
    .updateTable('lease')
    .set((eb) => ({ rest_until: eb('rest_until', '+', 86_400_000) }))
    .where('name', '=', 'rested')
    .execute();
  expect((await one.readStates(['rested'])).get('rested')).toMatchObject({ dueInMs: 0 });
  expect(await namesOf(other.acquire(['rested']))).toEqual(['rested']);
});

test('reports a lost lease, and releases no lease of another node', async () => {
  const [lost] = await one.acquire(['lost']);
  await lapse('lost');
  expect(await namesOf(other.acquire(['lost']))).toEqual(['lost']);
  machine.advance(4);
  await expect.poll(() => lost?.lost.aborted).toBe(true);
  await lost?.release();
  expect((await one.readStates(['lost'])).get('lost')).toMatchObject({ isHeld: true });
});

test('a lease is renewed for as long as its node lives', async () => {
  const [kept] = await one.acquire(['kept']);
  const until = async () =>
    (await db.writer.selectFrom('lease').select('held_until').where('name', '=', 'kept').executeTakeFirst())
      ?.held_until ?? 0;
  const before = await until();
  machine.advance(4);
  await expect.poll(until).toBeGreaterThan(before);
  expect(kept?.lost.aborted).toBe(false);
});
