import { expect, test } from 'vitest';
import { createTestClock } from '../../testing/test-clock.ts';
import type { Clock } from '../clock.ts';
import { createAddressLimit, createRateLimit } from './rate-limit.ts';
import { unsharedLimits } from './shared-limits.ts';

const alone = (clock: Clock) => ({ clock, sharedLimits: unsharedLimits });

test('refuses requests above the limit of a window, and starts a new window when the clock is set back', async () => {
  const clock = createTestClock(7_200_000);
  const limit = createRateLimit(alone(clock), 'tries', 2, 600_000);
  await limit.consume('a');
  await limit.consume('a');
  await expect(limit.consume('a')).rejects.toThrow('Too many tries');
  clock.set(3_600_000);
  await expect(limit.consume('a')).resolves.toBeUndefined();
});

test('can be checked without throwing, and refunds a request that does not count as an attempt', async () => {
  const limit = createRateLimit(alone(createTestClock(0)), 'tries', 2, 600_000);
  expect([await limit.tryConsume('a'), await limit.tryConsume('a'), await limit.tryConsume('a')]).toEqual([
    true,
    true,
    false,
  ]);
  limit.refund('a');
  limit.refund('a');
  expect([await limit.tryConsume('a'), await limit.tryConsume('a')]).toEqual([true, false]);
  limit.refund('never taken');
  expect(await limit.tryConsume('never taken')).toBe(true);
});

test('can be asked whether a try is left, which is none', async () => {
  const limit = createRateLimit(alone(createTestClock(0)), 'tries', 1, 600_000);
  await limit.check('a');
  await limit.check('a');
  await limit.consume('a');
  await expect(limit.check('a')).rejects.toThrow('Too many tries. Retry in 10 minutes.');
  limit.refund('a');
  await expect(limit.check('a')).resolves.toBeUndefined();
  const addresses = createAddressLimit(alone(createTestClock(0)), 'tries', 1, 600_000);
  await addresses.consume('2001:db8:1:2::1');
  await expect(addresses.check('2001:db8:1:2::2')).rejects.toThrow('Too many tries');
});

test('addresses of one IPv6 network are one client, in any notation; those of IPv4 are separate', async () => {
  const limit = createAddressLimit(alone(createTestClock(0)), 'tries', 2, 600_000);
  await limit.consume('2001:db8:1:2::1');
  await limit.consume('2001:0db8:0001:0002:ffff::');
  await expect(limit.consume('2001:db8:1:2:a:b:c:d')).rejects.toThrow('Too many tries');
  // oxlint-disable-next-line no-await-in-loop -- one after the other
  for (const other of ['2001:db8:1:3::1', '192.0.2.1', '192.0.2.2', '::ffff:192.0.2.2', 'unknown'])
    await expect(limit.consume(other)).resolves.toBeUndefined();
  await expect(limit.consume('192.0.2.2')).rejects.toThrow('Too many tries');
});
