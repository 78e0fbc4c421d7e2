import { expect, test } from 'vitest';
import { sleep, systemTimers } from '../../platform/clock.ts';
import { startFaultyProxy } from '../../testing/faulty-proxy.ts';
import { createMigratedDatabase, sharedPostgres } from '../../testing/shared-servers.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { openTestLedger } from '../../testing/test-ledger.ts';

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
