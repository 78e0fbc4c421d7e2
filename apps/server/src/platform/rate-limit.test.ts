import { expect, test } from 'vitest';
import { createTestClock } from '../testing/test-clock.ts';
import { createRateLimit } from './rate-limit.ts';

test('refuses what is too much in a window, and begins anew when the clock is set back', () => {
  const clock = createTestClock(7_200_000);
  const limit = createRateLimit(clock, 2, 600_000);
  limit.take('a');
  limit.take('a');
  expect(() => limit.take('a')).toThrow('Too many attempts');
  clock.set(3_600_000);
  expect(() => limit.take('a')).not.toThrow();
});

test('can be asked without throwing, and takes back what was no try', () => {
  const limit = createRateLimit(createTestClock(0), 2, 600_000);
  expect([limit.tryTake('a'), limit.tryTake('a'), limit.tryTake('a')]).toEqual([true, true, false]);
  limit.giveBack('a');
  limit.giveBack('a');
  expect([limit.tryTake('a'), limit.tryTake('a')]).toEqual([true, false]);
  limit.giveBack('never taken');
  expect(limit.tryTake('never taken')).toBe(true);
});
