import { expect, test } from 'vitest';
import { createTestClock } from '../testing/test-clock.ts';
import { createLanes } from './lanes.ts';

const never = (): Promise<void> => new Promise(() => {});

test('of one lane only so much runs at a time, in the order in which it came, and another lane waits for nobody', async () => {
  const inLane = createLanes(createTestClock(0), 2, 5_000);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const work = (name: string) => () => {
    begun.push(name);
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  const mine = ['a', 'b', 'c', 'd'].map((name) => inLane(1, work(name)));
  const others = inLane(2, work('other'));
  await expect.poll(() => begun).toEqual(['a', 'b', 'other']);
  ends[0]?.();
  await expect.poll(() => begun).toEqual(['a', 'b', 'other', 'c']);
  ends[1]?.();
  await expect.poll(() => begun).toEqual(['a', 'b', 'other', 'c', 'd']);
  for (const end of ends) end();
  await Promise.all([...mine, others]);
});

test('who waits too long is told to come back, and leaves the turns to the others', async () => {
  const clock = createTestClock(0);
  const inLane = createLanes(clock, 1, 5_000);
  let fail = (_error: Error): void => {};
  const first = inLane(1, () => new Promise((_, reject) => (fail = reject)));
  const late = inLane(1, never);
  clock.advance(5);
  await expect(late).rejects.toMatchObject({ code: 'too-many-requests', retryAfterSeconds: 5 });
  fail(new Error('it failed'));
  await expect(first).rejects.toThrow('it failed');
  expect(await inLane(1, async () => 'next')).toBe('next');
});
