import { expect, onTestFinished, test } from 'vitest';
import { reportTimerErrors, systemTimers } from './clock.ts';

test('a timer whose callback throws is reported and keeps running', async () => {
  const reported: unknown[] = [];
  reportTimerErrors((error) => reported.push(error));
  let runs = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = systemTimers.every(1, () => {
    runs += 1;
    if (runs === 3) resolve();
    throw new Error(`run ${runs}`);
  });
  onTestFinished(() => timer.close());
  systemTimers.after(0, () => {
    throw new Error('once');
  });
  await promise;
  expect(reported).toEqual(expect.arrayContaining([new Error('run 1'), new Error('run 2'), new Error('once')]));
});
