import { expect, test } from 'vitest';
import { createTestClock } from '../testing/test-clock.ts';
import { startRepeating } from './repeated-task.ts';

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
