import { expect, test } from 'vitest';
import { createTestClock } from '../testing/test-clock.ts';
import { createChanges } from './change-subscriptions.ts';
import { silentLog } from './log.ts';
import { startTableQueue } from './table-queue.ts';

/** Throws before it returns a promise, as a function that is not `async` may. */
const refuse = (): Promise<void> => {
  throw new Error('not this time');
};

test('a queue continues after an attempt that throws before it returns a promise', async () => {
  const clock = createTestClock(0);
  const due = ['first', 'second', 'third'];
  const made: string[] = [];
  const ctx = { clock, log: silentLog, changes: createChanges(clock, silentLog), leases: { isShared: false } };
  const stop = startTableQueue<string>(ctx, {
    topic: 'works',
    slots: 1,
    laneOf: (item) => item,
    claim: async () => due.shift(),
    attempt(item) {
      if (item === 'first') return refuse();
      made.push(item);
      return Promise.resolve();
    },
  });
  await expect.poll(() => made, { interval: 5, timeout: 5_000 }).toEqual(['second', 'third']);
  await stop();
});
