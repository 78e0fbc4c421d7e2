/** Effects of a posting that cannot be written, and of a storage that cannot write, on the others. */
import { open } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createConsumeRecord } from '../../../../../tests/faults/consume-record.ts';
import { getSqliteEngine } from '../../testing/any-table.ts';
import { type CommitFaults, injectCommitFaults } from '../../testing/commit-faults.ts';
import { createTestClock, type TestClock } from '../../testing/test-clock.ts';
import { openTestLedger, type TestLedger } from '../../testing/test-ledger.ts';
import { isStorageFailure } from './storage-failure.ts';

let testLedger: TestLedger;
let commits: CommitFaults;
let clock: TestClock;

beforeEach(async () => {
  commits = injectCommitFaults();
  clock = createTestClock(undefined);
  testLedger = await openTestLedger({ clock });
  await testLedger.ledger.transaction(async (_trx, moves) => {
    await moves.openUserAccount(1);
    await moves.post({ kind: 'top-up', ref: 'first', userId: 1, amount: 10_000, note: '' });
  });
});
afterEach(async () => {
  commits.restore();
  await testLedger.close();
});

/** After another second, by when what failed is tried again. */
const soon =
  <T>(read: () => Promise<T>) =>
  (): Promise<T> => {
    clock.advance(1);
    return read();
  };
const raise = (requestId: string, amount: number) =>
  testLedger.ledger.hold({ requestId, userId: 1, apiKeyId: null, limited: false, amount });
const hold = (requestId: string) => raise(requestId, 10);
const outcome = (answers: readonly PromiseSettledResult<unknown>[]) => answers.map(({ status }) => status);

test('a movement that cannot be written fails alone; the others of its commit are written', async () => {
  const answers = await Promise.allSettled([hold('a'), hold('b'), hold('a'), hold('c')]);
  expect(outcome(answers)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(await testLedger.ledger.readAvailable(1)).toBe(9_970);
  expect(await testLedger.listDiscrepancies()).toEqual([]);
});

test('a settlement that shares its commit with a bad one is charged once, by the first try', async () => {
  await hold('a');
  const [, failing] = [hold('b'), hold('b')];
  await testLedger.ledger.settle('a', 7, createConsumeRecord('a', 1, null, 7));
  await expect(failing).rejects.toThrow('UNIQUE');
  expect(await testLedger.ledger.readAvailable(1)).toBe(10_000 - 7 - 10);
  expect(await testLedger.listDiscrepancies()).toEqual([]);
});

/** SQLite refuses every new page with its own "disk is full", as it does when the disk is. */
const fillDisk = (): void => {
  getSqliteEngine(testLedger.db).connection.exec('PRAGMA max_page_count = 1');
};
const emptyDisk = (): void => {
  getSqliteEngine(testLedger.db).connection.exec('PRAGMA max_page_count = 1000000');
};
/** Rows that need separate pages. */
const large = (requestId: string) => ({ ...createConsumeRecord(requestId, 1, null, 3), content: 'x'.repeat(50_000) });

test('a full disk rejects new requests with a reason, loses no decided charge, and everything continues after it', async () => {
  await hold('a');
  fillDisk();
  await testLedger.ledger.settle('a', 3, large('a'));
  const many = await Promise.allSettled(Array.from({ length: 500 }, (_, index) => hold(`full-${index}`)));
  const refused = many.find((answer) => answer.status === 'rejected');
  expect(refused?.reason).toMatchObject({ code: 'unavailable', retryAfterSeconds: expect.any(Number) });
  await expect(
    testLedger.ledger.transaction((_trx, moves) =>
      moves.post({ kind: 'gift', ref: 'g', userId: 1, amount: 5, note: 'y'.repeat(50_000) }),
    ),
  ).rejects.toMatchObject({ code: 'unavailable' });

  emptyDisk();
  const records = testLedger.db.writer.selectFrom('usage_record').select('quota').where('request_id', '=', 'a');
  await expect.poll(soon(() => records.execute())).toEqual([{ quota: 3 }]);
  expect(await hold('after')).toEqual({ held: true });
  expect(await testLedger.listDiscrepancies()).toEqual([]);
});

test('records a settlement that waited for hours in the hour of its write, because its own hour may be rolled up', async () => {
  await hold('a');
  fillDisk();
  await testLedger.ledger.settle('a', 3, large('a'));
  clock.advance(2 * 3_600);
  const now = Math.floor(clock.now() / 1_000);
  emptyDisk();
  const times = () =>
    testLedger.db.writer.selectFrom('usage_record').select('created_at').where('request_id', '=', 'a').execute();
  await expect.poll(soon(async () => (await times()).length)).toBe(1);
  expect((await times())[0]?.created_at).toBeGreaterThanOrEqual(now);
  expect(await testLedger.listDiscrepancies()).toEqual([]);
});

test('releases a hold whose increase failed', async () => {
  await hold('a');
  getSqliteEngine(testLedger.db).connection.exec(
    `create trigger refuse before update of amount on hold begin select raise(fail, 'no'); end`,
  );
  await expect(raise('a', 500)).rejects.toThrow('no');
  testLedger.ledger.release('a');
  expect(testLedger.ledger.openHolds).toBe(0);
  await expect.poll(soon(() => testLedger.ledger.readAvailable(1))).toBe(10_000);
  expect(await testLedger.listDiscrepancies()).toEqual([]);
});

test('a request whose hold could not grow is charged for its delivered part', async () => {
  await hold('a');
  getSqliteEngine(testLedger.db).connection.exec(
    `create trigger refuse before update of amount on hold begin select raise(fail, 'no'); end`,
  );
  await expect(raise('a', 500)).rejects.toThrow('no');
  await testLedger.ledger.settle('a', 7, createConsumeRecord('a', 1, null, 7));
  expect(await testLedger.ledger.readAvailable(1)).toBe(9_993);
  expect(await testLedger.listDiscrepancies()).toEqual([]);
});

test('a stop retries the writes that failed on a full disk', async () => {
  await hold('a');
  fillDisk();
  await testLedger.ledger.settle('a', 3, large('a'));
  emptyDisk();
  await testLedger.restart();
  expect(await testLedger.ledger.readCharge('a')).toBe(3);
  expect(await testLedger.ledger.readAvailable(1)).toBe(9_997);
});

test('a stop on a disk that stays full leaves the charge to the next start, and nothing behind', async () => {
  await hold('a');
  fillDisk();
  await testLedger.ledger.settle('a', 3, large('a'));
  await testLedger.restart();
  expect(await testLedger.ledger.readCharge('a')).toBe(3);
  expect(await testLedger.ledger.readAvailable(1)).toBe(9_997);
  await testLedger.restart();
  expect(await testLedger.ledger.readAvailable(1)).toBe(9_997);
  // No attempt is repeated before the ledger's own retry.
  clock.advance(60);
  expect(await testLedger.listDiscrepancies()).toEqual([]);
});

describe('when a commit was written and its news was lost', () => {
  test('releases an increased hold in full, and rejects the request', async () => {
    await hold('a');
    commits.lose(1);
    await expect(raise('a', 500)).rejects.toMatchObject({ code: 'unavailable' });
    testLedger.ledger.release('a');
    await expect.poll(soon(() => testLedger.ledger.readAvailable(1))).toBe(10_000);
    expect(await testLedger.listDiscrepancies()).toEqual([]);
  });

  test('a raised hold is never raised again, and is charged whole', async () => {
    await hold('a');
    commits.lose(1);
    for (const amount of [500, 600]) await expect(raise('a', amount)).rejects.toMatchObject({ code: 'unavailable' });
    await testLedger.ledger.settle('a', 7, createConsumeRecord('a', 1, null, 7));
    await expect.poll(soon(() => testLedger.ledger.readAvailable(1))).toBe(9_993);
    expect(await testLedger.listDiscrepancies()).toEqual([]);
  });

  test('a settlement is charged once, and memory agrees with the rows', async () => {
    await hold('a');
    commits.lose(1);
    await testLedger.ledger.settle('a', 7, createConsumeRecord('a', 1, null, 7));
    expect(await testLedger.ledger.readCharge('a')).toBe(7);
    await expect.poll(soon(() => testLedger.ledger.readAvailable(1))).toBe(9_993);
    expect(await testLedger.listDiscrepancies()).toEqual([]);
    await testLedger.restart();
    expect(await testLedger.ledger.readAvailable(1)).toBe(9_993);
    expect(commits.lost).toBe(1);
  });

  test('a hold whose request was refused holds nothing', async () => {
    commits.lose(1);
    await expect(hold('a')).rejects.toMatchObject({ code: 'unavailable' });
    await expect.poll(() => testLedger.ledger.readAvailable(1)).toBe(10_000);
    expect(await testLedger.listDiscrepancies()).toEqual([]);
  });
});

test.each([
  ['25006', 'cannot execute INSERT in a read-only transaction'],
  ['25P03', 'terminating connection due to idle-in-transaction timeout'],
  ['57P01', 'terminating connection due to administrator command'],
  ['EAI_AGAIN', 'getaddrinfo EAI_AGAIN db.internal'],
  ['ECONNRESET', 'read ECONNRESET'],
])('%s of PostgreSQL is trouble of the storage, which passes', (code, message) => {
  expect(isStorageFailure(Object.assign(new Error(message), { code }))).toBe(true);
});

test.each(['22P02', '23505', 'ERR_INVALID_ARG_TYPE'])('%s is no trouble of the storage', (code) => {
  expect(isStorageFailure(Object.assign(new Error('refused'), { code }))).toBe(false);
});

test('a committed change that a power failure may undo is not reported as undone, and is synced a second later', async () => {
  const file = await open(import.meta.filename);
  const sync = vi.spyOn(Object.getPrototypeOf(file), 'datasync').mockRejectedValueOnce(new Error('EIO: i/o error'));
  onTestFinished(async () => {
    sync.mockRestore();
    await file.close();
  });
  const posted = testLedger.ledger.transaction((_trx, moves) =>
    moves.post({ kind: 'top-up', ref: 'second', userId: 1, amount: 5, note: '' }),
  );
  await expect(posted).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('was made') });
  expect(await testLedger.ledger.readAvailable(1)).toBe(10_005);
  expect(sync).toHaveBeenCalledTimes(1);
  clock.advance(1);
  await expect.poll(() => sync.mock.calls.length).toBe(2);
});
