import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createTestClock } from '../testing/test-clock.ts';
import { type Change, createChanges, QUEUE_TOPICS } from './change-subscriptions.ts';
import { silentLog } from './log.ts';

test.each<[string, readonly number[] | undefined, readonly (number | undefined)[]]>([
  ['any row', undefined, [undefined]],
  ['no row', [], []],
  ['one row', [7], [1]],
  ['more rows than a query may name', Array.from({ length: 40_001 }, (_, id) => id), [...Array(80).fill(500), 1]],
])('publishes a change of %s in pieces of at most 500 ids, here and to other nodes', async (_what, ids, sizes) => {
  const changes = createChanges(createTestClock(0), silentLog);
  const [here, elsewhere]: [Change[], Change[]] = [[], []];
  changes.subscribe((change) => void here.push(change));
  changes.connect(async (change) => void elsewhere.push(change));
  await changes.publish(ids === undefined ? { topic: 'api-keys' } : { topic: 'api-keys', ids });
  for (const received of [here, elsewhere]) {
    const pieces = received.map((change) => ('ids' in change ? change.ids : undefined));
    expect(pieces.map((piece) => piece?.length)).toEqual(sizes);
    expect(pieces.flat()).toEqual(ids ?? [undefined]);
  }
});

test('a committed change whose load fails is no error of its publisher, and is loaded again until it succeeds', async () => {
  const clock = createTestClock(0);
  const errors: unknown[] = [];
  const changes = createChanges(clock, { ...silentLog, error: (fields: object) => void errors.push(fields) });
  const loaded: Change[] = [];
  let failures = 3;
  changes.subscribe(async (change) => {
    failures -= 1;
    if (failures >= 0) throw new Error('database is locked');
    loaded.push(change);
  });
  await changes.publish({ topic: 'api-keys', ids: [7] });
  for (let second = 0; second < 3; second += 1) {
    expect(loaded).toEqual([]);
    clock.advance(1);
    await setImmediate();
  }
  expect(loaded).toEqual([{ topic: 'api-keys' }]);
  expect(errors).toHaveLength(1);
  await changes.publish({ topic: 'prices' });
  clock.advance(60);
  expect(loaded).toHaveLength(2);
});

test('a failed load is not repeated after the end', async () => {
  const clock = createTestClock(0);
  const changes = createChanges(clock, silentLog);
  let loads = 0;
  changes.subscribe(async () => {
    loads += 1;
    throw new Error('the database is closed');
  });
  await changes.publish({ topic: 'prices' });
  changes.close();
  clock.advance(60);
  await changes.publish({ topic: 'prices' });
  clock.advance(60);
  expect(loads).toBe(2);
});

test('a reload of everything wakes no queue, and is done once for many reasons', async () => {
  const clock = createTestClock(0);
  const changes = createChanges(clock, silentLog);
  const loaded: string[] = [];
  changes.subscribe(({ topic }) => void loaded.push(topic));
  for (let reason = 0; reason < 100; reason += 1) changes.reloadAll();
  clock.advance(1);
  await setImmediate();
  expect(loaded).toEqual([...new Set(loaded)]);
  expect(loaded).toEqual(expect.arrayContaining(['api-keys', 'channels', 'prices', 'settings', 'users']));
  for (const queue of QUEUE_TOPICS) expect(loaded).not.toContain(queue);
});
