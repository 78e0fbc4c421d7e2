import { Client } from 'pg';
import { expect, test } from 'vitest';
import { sleep, systemTimers } from '../../platform/clock.ts';
import { startFaultyProxy } from '../../testing/faulty-proxy.ts';
import { createMigratedDatabase, sharedPostgres } from '../../testing/shared-servers.ts';
import { createTestClock, type TestClock } from '../../testing/test-clock.ts';
import { openTestLedger } from '../../testing/test-ledger.ts';
import { waitUntilLocked } from '../../testing/wait-until-locked.ts';

/** Slow enough for a node to renew its lease meanwhile. */
const passSecond = async (machine: TestClock): Promise<void> => {
  machine.advance(1);
  await sleep(systemTimers, 50);
};

test('no node gives up another after the database was away from both for longer than a lease', async ({ skip }) => {
  const server = await sharedPostgres();
  if (server === undefined) return skip('PostgreSQL is not installed here');
  const line = await startFaultyProxy(await createMigratedDatabase(server));
  const own = createTestClock(0);
  const nodes = [
    await openTestLedger({ place: line.url, machine: own }),
    await openTestLedger({ place: line.url, machine: own }),
  ];
  let givenUp = 0;
  for (const { ledger } of nodes) ledger.onLeaseLost(() => (givenUp += 1));
  const untilSecond = async (second: number): Promise<void> => {
    while (own.elapsed() < second * 1000) {
      own.advance(1);
      await sleep(systemTimers, 20);
    }
  };
  // By then each has seen the other.
  await untilSecond(21);
  line.cut();
  await untilSecond(64);
  line.restore();
  // The nodes look for others every 5 seconds, and renew their leases every 3.
  await untilSecond(65);
  await sleep(systemTimers, 300);
  await untilSecond(70);
  expect(givenUp).toBe(0);
  for (const node of nodes) await node.close();
  await line.close();
});

test('a node that wakes delivers nothing while its own renewal waits for its answer', async ({ skip }) => {
  const server = await sharedPostgres();
  if (server === undefined) return skip('PostgreSQL is not installed here');
  const machine = createTestClock(0);
  const books = await openTestLedger({ place: await createMigratedDatabase(server), machine });
  const { ledger, db } = books;
  let givenUp = 0;
  ledger.onLeaseLost(() => (givenUp += 1));
  expect(ledger.confirmHolds()).toBeUndefined();
  // As the other nodes do when this one was silent for too long.
  await db.writer.deleteFrom('node').execute();
  machine.advance(40);
  const confirmed = ledger.confirmHolds();
  expect(confirmed).toBeInstanceOf(Promise);
  await confirmed;
  expect(givenUp).toBe(1);
  await books.close();
});

test('a hold that becomes lasting while another node gives up its node belongs to its task', async ({ skip }) => {
  const server = await sharedPostgres();
  if (server === undefined) return skip('PostgreSQL is not installed here');
  const place = await createMigratedDatabase(server);
  const machine = createTestClock(0);
  const books = await openTestLedger({ place, machine });
  // Its clock is stopped, as in a suspended process.
  const other = await openTestLedger({ place, machine: createTestClock(0) });
  const { writer } = books.db;
  await books.ledger.transaction(async (_trx, moves) => {
    await moves.openUserAccount(1);
    await moves.post({ kind: 'top-up', ref: 'first', userId: 1, amount: 10_000, note: '' });
  });
  await other.ledger.hold({ requestId: 'a', userId: 1, apiKeyId: null, limited: false, amount: 500 });
  const { node_id } = await writer.selectFrom('hold').select('node_id').executeTakeFirstOrThrow();
  // The other node has read the hold, and waits to release it.
  const locking = new Client({ connectionString: place });
  await locking.connect();
  await locking.query('begin; select from user_account where user_id = 1 for update');
  await writer.updateTable('node').set({ lease_until: 0 }).where('id', '=', Number(node_id)).execute();
  let isWaiting = false;
  const locked = waitUntilLocked(place).then(() => {
    isWaiting = true;
  });
  while (!isWaiting) await passSecond(machine);
  await locked;
  await other.ledger.transaction((_trx, moves) => moves.keepHold('a'));
  await locking.query('commit');
  await locking.end();
  const nodes = writer.selectFrom('node').select('id').where('id', '=', Number(node_id));
  await expect
    .poll(async () => {
      await passSecond(machine);
      return nodes.execute();
    })
    .toEqual([]);
  expect(await writer.selectFrom('hold').select(['request_id', 'lasting']).execute()).toEqual([
    { request_id: 'a', lasting: 1 },
  ]);
  expect(await books.listDiscrepancies()).toEqual([]);
  await other.close();
  await books.close();
});
