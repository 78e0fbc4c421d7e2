import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { repeat } from './repeat.ts';

test('goes on after what failed, never twice at a time, and is over when it has stopped', async () => {
  let [begun, running, most] = [0, 0, 0];
  const failures: unknown[] = [];
  const repeated = repeat(
    1,
    async () => {
      begun += 1;
      running += 1;
      most = Math.max(most, running);
      await pause(10);
      running -= 1;
      if (begun === 1) throw new Error('not this time');
    },
    (error) => failures.push(error),
  );
  await Promise.all([repeated.now(), repeated.now()]);
  expect(begun).toBe(1);
  await expect.poll(() => begun).toBeGreaterThan(2);
  await repeated.stop();
  expect([running, most]).toEqual([0, 1]);
  expect(failures).toEqual([new Error('not this time')]);
  const before = begun;
  await pause(20);
  expect(begun).toBe(before);
});
