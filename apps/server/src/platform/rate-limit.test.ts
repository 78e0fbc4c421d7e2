import { expect, test } from 'vitest';
import { createTestClock } from '../testing/test-clock.ts';
import { createAddressLimit, createRateLimit } from './rate-limit.ts';

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

test('can be asked whether a try is left, which is none', () => {
  const limit = createRateLimit(createTestClock(0), 1, 600_000);
  limit.check('a');
  limit.check('a');
  limit.take('a');
  expect(() => limit.check('a')).toThrow('Too many attempts, try again in 600 s');
  limit.giveBack('a');
  expect(() => limit.check('a')).not.toThrow();
  const addresses = createAddressLimit(createTestClock(0), 1, 600_000);
  addresses.take('2001:db8:1:2::1');
  expect(() => addresses.check('2001:db8:1:2::2')).toThrow('Too many attempts');
});

test('addresses of one IPv6 network are one client, whatever their form; those of IPv4 are each its own', () => {
  const limit = createAddressLimit(createTestClock(0), 2, 600_000);
  limit.take('2001:db8:1:2::1');
  limit.take('2001:0db8:0001:0002:ffff::');
  expect(() => limit.take('2001:db8:1:2:a:b:c:d')).toThrow('Too many attempts');
  for (const other of ['2001:db8:1:3::1', '192.0.2.1', '192.0.2.2', '::ffff:192.0.2.2', 'unknown'])
    expect(() => limit.take(other)).not.toThrow();
  expect(() => limit.take('192.0.2.2')).toThrow('Too many attempts');
});
