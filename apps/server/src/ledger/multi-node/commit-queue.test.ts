import { Client } from 'pg';
import { expect, test } from 'vitest';
import { startFaultyProxy } from '../../testing/faulty-proxy.ts';
import { createMigratedDatabase, sharedPostgres } from '../../testing/shared-servers.ts';
import { openTestLedger } from '../../testing/test-ledger.ts';
import { waitUntilLocked } from '../../testing/wait-until-locked.ts';

/** Locks of a node that is cut off last for two seconds at most; the machine may be busy. */
const WAIT_MAX_MS = 8_000;
const holdOf = (requestId: string, amount: number) => ({
  requestId,
  userId: 1,
  apiKeyId: null,
  limited: false,
  amount,
});

const openCutOffNodes = async () => {
  const server = await sharedPostgres();
  if (server === undefined) return undefined;
  const place = await createMigratedDatabase(server);
  const books = await openTestLedger({ place });
  await books.ledger.transaction(async (_trx, moves) => {
    await moves.openUserAccount(1);
    await moves.post({ kind: 'top-up', ref: 'first', userId: 1, amount: 10_000, note: '' });
  });
  const line = await startFaultyProxy(place);
  const cutOff = await openTestLedger({ place: line.url });
  return {
    place,
    books,
    line,
    cutOff,
    async close() {
      await cutOff.close();
      await books.close();
      await line.close();
    },
  };
};

test('a node that is cut off in the middle of a commit keeps the others waiting for a moment, and repeats it', async ({
  skip,
}) => {
  const nodes = await openCutOffNodes();
  if (nodes === undefined) return skip('PostgreSQL is not installed here');
  const { place, books, line, cutOff } = nodes;
  const locking = new Client({ connectionString: place });
  await locking.connect();
  await locking.query('begin; select from user_account where user_id = 1 for update');
  const interrupted = cutOff.ledger.hold(holdOf('a', 500));
  await waitUntilLocked(place);
  line.hang();
  await locking.query('commit');
  await locking.end();
  const began = performance.now();
  expect(await books.ledger.hold(holdOf('b', 500))).toEqual({ held: true });
  expect(performance.now() - began).toBeLessThan(WAIT_MAX_MS);
  line.restore();
  expect(await interrupted).toEqual({ held: true });
  expect(await books.ledger.readAvailable(1)).toBe(9_000);
  expect(await books.listDiscrepancies()).toEqual([]);
  await nodes.close();
});

test('a node that is cut off while it changes a balance keeps the others waiting for a moment', async ({ skip }) => {
  const nodes = await openCutOffNodes();
  if (nodes === undefined) return skip('PostgreSQL is not installed here');
  const { books, line, cutOff } = nodes;
  const change = { kind: 'top-up', userId: 1, amount: 300, note: '' } as const;
  const { promise: posted, resolve: reportPosted } = Promise.withResolvers<void>();
  const { promise: resumed, resolve: resume } = Promise.withResolvers<void>();
  const interrupted = cutOff.ledger.transaction(async (_trx, moves) => {
    await moves.post({ ...change, ref: 'interrupted' });
    reportPosted();
    await resumed;
  });
  await posted;
  line.hang();
  const began = performance.now();
  expect(await books.ledger.hold(holdOf('a', 500))).toEqual({ held: true });
  await books.ledger.transaction((_trx, moves) => moves.post({ ...change, ref: 'second' }));
  expect(performance.now() - began).toBeLessThan(WAIT_MAX_MS);
  line.restore();
  resume();
  await expect(interrupted).rejects.toMatchObject({ code: 'unavailable' });
  expect(await books.ledger.readAvailable(1)).toBe(9_800);
  expect(await books.listDiscrepancies()).toEqual([]);
  await nodes.close();
});
