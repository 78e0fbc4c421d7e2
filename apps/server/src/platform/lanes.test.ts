import { expect, test } from 'vitest';
import { createLanes } from './lanes.ts';

const never = (): Promise<void> => new Promise(() => {});

test('of one lane only so much runs at a time, in the order in which it came, and another lane waits for nobody', async () => {
  const inLane = createLanes(2, 5_000);
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
  const inLane = createLanes(1, 50);
  let fail = (_error: Error): void => {};
  const first = inLane(1, () => new Promise((_, reject) => (fail = reject)));
  await expect(inLane(1, never)).rejects.toMatchObject({ code: 'too-many-requests', retryAfterSeconds: 1 });
  fail(new Error('it failed'));
  await expect(first).rejects.toThrow('it failed');
  expect(await inLane(1, async () => 'next')).toBe('next');
});
