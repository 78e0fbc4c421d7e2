import { expect, test } from 'vitest';
import { useFeatureApp } from '../../testing/start-feature-app.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { createChannelHealth, getChannelHealth } from './channel-health.ts';
import { getChannelCooldownEnd } from './health-status-and-resume.ts';

const MORE_THAN_ARE_KEPT = 21_000;

function brokenChannel() {
  const health = createChannelHealth(createTestClock(0));
  for (let failures = 0; failures < 5; failures += 1) health.beginAttempt(1, 'broken').recordFailure();
  expect(health.get(1, 'broken').circuitBreaker).toBe('open');
  return health;
}

test('looking at a channel leaves nothing behind', () => {
  const health = brokenChannel();
  for (let nth = 0; nth < MORE_THAN_ARE_KEPT; nth += 1) health.get(1, `made-up-${nth}`);
  expect(health.get(1, 'broken').circuitBreaker).toBe('open');
  expect(health.list()).toHaveLength(1);
});

test('attempts without a verdict evict no known state', () => {
  const health = brokenChannel();
  health.beginAttempt(1, 'good').recordSuccess(20);
  for (let nth = 0; nth < MORE_THAN_ARE_KEPT; nth += 1) health.beginAttempt(1, `made-up-${nth}`).discard();
  expect(health.get(1, 'broken').circuitBreaker).toBe('open');
  expect(health.get(1, 'good').firstContentMs).toBe(20);
  expect(health.list()).toHaveLength(2);
});

test('only the first failure of a user counts while the channel serves others', () => {
  const clock = createTestClock(0);
  const health = createChannelHealth(clock);
  const begin = (userId: number) => health.beginAttempt(1, 'model', undefined, userId);
  const fail = (userId: number, times: number) => Array.from({ length: times }, () => begin(userId).recordFailure());
  begin(2).recordSuccess(20);
  begin(1).recordSuccess(20);
  expect(fail(1, 5)).toEqual([true, false, false, false, false]);
  expect(health.get(1, 'model')).toMatchObject({ failuresInRow: 1, circuitBreaker: 'closed' });
  expect(fail(2, 2)).toEqual([true, false]);
  clock.advance(11);
  expect(fail(1, 3)).toEqual([true, true, true]);
  expect(health.get(1, 'model').circuitBreaker).toBe('open');
});

test('account errors of one user rest one key while the channel serves others', () => {
  const health = createChannelHealth(createTestClock(0));
  const begin = (userId: number, id: string) => health.beginAttempt(1, 'model', { id, all: ['a', 'b'] }, userId);
  begin(2, 'a').recordSuccess(20);
  expect(['a', 'b', 'a'].map((id) => begin(1, id).recordAccountError())).toEqual([true, false, false]);
  expect(health.get(1, 'model')).toMatchObject({ failuresInRow: 0, circuitBreaker: 'closed' });
});

test('drops the state of the oldest models above the limit', () => {
  const health = brokenChannel();
  for (let nth = 0; nth < MORE_THAN_ARE_KEPT; nth += 1) health.beginAttempt(1, `answers-${nth}`).recordSuccess(1);
  expect(health.list(1).length).toBeLessThan(MORE_THAN_ARE_KEPT);
  expect(health.get(1, 'broken').circuitBreaker).toBe('closed');
});

test.each([-86_400, 86_400])('reports cooldowns by the time of day, which is set %i seconds ahead', async (ahead) => {
  const { ctx, clock } = await useFeatureApp([], { now: Date.UTC(2026, 0, 20) });
  const health = getChannelHealth(ctx);
  health.startCooldown(1, 'model', 60_000);
  health.startCooldown(1, 'model', 60_000, { id: 'a', all: ['a', 'b'] });
  const other = health.beginAttempt(2, 'model');
  for (let failure = 0; failure < 5; failure += 1) other.recordFailure();
  clock.jump(ahead);
  const end = clock.now() + 60_000;
  expect(health.get(1, 'model').cooldownUntil).toBe(end);
  expect(health.getKeyCooldownEnd(1, 'model', 'a')).toBe(end);
  expect(health.listKeyCooldowns(1)).toEqual(new Map([['a', end]]));
  expect(getChannelCooldownEnd(ctx, 1)).toBe(end / 1_000);
  const opensIn = getChannelCooldownEnd(ctx, 2) - clock.now() / 1_000;
  expect([opensIn > 20, opensIn < 40]).toEqual([true, true]);
  clock.advance(61);
  expect(health.listKeyCooldowns(1).size).toBe(0);
  expect([getChannelCooldownEnd(ctx, 1), getChannelCooldownEnd(ctx, 2)]).toEqual([0, 0]);
});

test('ends a cooldown in time when the clock is set back by a day', async () => {
  const { ctx, clock } = await useFeatureApp([], { now: Date.UTC(2026, 0, 20) });
  const health = getChannelHealth(ctx);
  health.startCooldown(1, 'model', 60_000);
  clock.jump(-86_400);
  clock.advance(59);
  expect(health.get(1, 'model').cooldownUntil).toBeGreaterThan(0);
  clock.advance(2);
  expect(health.get(1, 'model').cooldownUntil).toBe(0);
});
