import { expect, test } from 'vitest';
import { createTestClock } from '../../testing/test-clock.ts';
import { createTokenRateLimiter } from './token-rate.ts';

function rate(perMinute: number) {
  const clock = createTestClock(0);
  const limits = createTokenRateLimiter(clock);
  const take = (estimate: number) =>
    limits.consume([{ name: 'key:1', perMinute, policy: 'token-tokens', callerLabel: 'the token "a"' }], estimate);
  return { clock, limits, take };
}

test('a request takes its estimate, and the unused part is returned at its end', async () => {
  const { take } = rate(1_000);
  const charge = await take(900);
  expect(charge?.rateLimitStates).toEqual([
    { policy: 'token-tokens', unit: 'tokens', limit: 1_000, remaining: 100, resetSeconds: 54 },
  ]);
  await expect(take(200)).rejects.toThrow('1000 model tokens per minute. 100 are left, and this request may need 200');
  if (charge !== undefined) charge.used = 300;
  charge?.correct();
  expect((await take(700))?.rateLimitStates[0]?.remaining).toBe(0);
});

test('usage beyond the estimate delays later requests, and the error has the delay', async () => {
  const { clock, take } = rate(600);
  const charge = await take(100);
  if (charge !== undefined) charge.used = 900;
  charge?.correct();
  let seconds = 0;
  try {
    await take(100);
  } catch (error) {
    seconds = (error as { retryAfterSeconds: number }).retryAfterSeconds;
  }
  expect(seconds).toBe(40);
  clock.advance(39);
  await expect(take(100)).rejects.toThrow('Retry in 1 second.');
  clock.advance(1);
  expect(await take(100)).toBeDefined();
});

test('a request that is larger than the limit passes when nothing else was asked for', async () => {
  const { clock, take } = rate(100);
  expect(await take(5_000)).toBeDefined();
  await expect(take(1)).rejects.toThrow('0 are left');
  clock.advance(50 * 60);
  expect(await take(5_000)).toBeDefined();
});

test('a request that one limit refuses takes nothing from the other', async () => {
  const { limits } = rate(0);
  const both = [
    { name: 'user:1', perMinute: 1_000, policy: 'user-tokens', callerLabel: 'each user of your group' },
    { name: 'key:1', perMinute: 100, policy: 'token-tokens', callerLabel: 'the token "a"' },
  ];
  await limits.consume(both, 80);
  await expect(limits.consume(both, 80)).rejects.toThrow('the token "a" may use 100');
  expect((await limits.consume(both.slice(0, 1), 0))?.rateLimitStates[0]?.remaining).toBe(920);
});
