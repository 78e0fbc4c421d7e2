import { expect, test } from 'vitest';
import { createTestClock } from '../testing/test-clock.ts';
import { createChanges } from './change-subscriptions.ts';
import { silentLog } from './log.ts';
import { startRepeating } from './repeated-task.ts';
import { startTableQueue } from './table-queue.ts';

test('continues after a failure, never runs twice at a time, and has ended when it is stopped', async () => {
  const clock = createTestClock(0);
  let [begun, running, most] = [0, 0, 0];
  let finish = (): void => {};
  const failures: unknown[] = [];
  const repeated = startRepeating(
    clock,
    1_000,
    async () => {
      begun += 1;
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => (finish = resolve));
      running -= 1;
      if (begun === 1) throw new Error('not this time');
    },
    (error) => failures.push(error),
  );
  const both = [repeated.runNow(), repeated.runNow()];
  clock.advance(1);
  expect(begun).toBe(1);
  finish();
  await Promise.all(both);
  expect(failures).toEqual([new Error('not this time')]);

  clock.advance(1);
  expect(begun).toBe(2);
  finish();
  await repeated.runNow().then(finish);
  const stopped = repeated.stop();
  finish();
  await stopped;
  expect([running, most]).toEqual([0, 1]);
  const before = begun;
  clock.advance(10);
  expect(begun).toBe(before);
});

const clock = createTestClock(0);
/** Throws before it returns a promise, as a function that is not `async` may. */
const refuse = (): Promise<void> => {
  throw new Error('not this time');
};

test('repeats work that throws before it returns a promise', async () => {
  const failures: unknown[] = [];
  const repeated = startRepeating(clock, 1_000, refuse, (error) => failures.push(error));
  for (const count of [1, 2]) {
    await repeated.runNow();
    expect(failures).toHaveLength(count);
  }
  await repeated.stop();
});

test('a queue continues after an attempt that throws before it returns a promise', async () => {
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
