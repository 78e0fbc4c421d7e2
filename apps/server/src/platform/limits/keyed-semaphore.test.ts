import { expect, test } from 'vitest';
import { createTestClock } from '../../testing/test-clock.ts';
import { createKeyedSemaphore } from './keyed-semaphore.ts';

test('a lane gives its slots in the order in which they were asked for, and keeps no other lane waiting', async () => {
  const enter = createKeyedSemaphore(createTestClock(0), 2, 5_000);
  const started: string[] = [];
  const leave = new Map<string, () => void>();
  const begin = async (lane: number, name: string): Promise<void> => {
    leave.set(name, await enter(lane));
    started.push(name);
  };
  const mine = ['a', 'b', 'c', 'd'].map((name) => begin(1, name));
  const other = begin(2, 'other');
  await expect.poll(() => started).toEqual(['a', 'b', 'other']);
  leave.get('a')?.();
  // A slot is freed once.
  leave.get('a')?.();
  await expect.poll(() => started).toEqual(['a', 'b', 'other', 'c']);
  leave.get('b')?.();
  await Promise.all([...mine, other]);
  expect(started).toEqual(['a', 'b', 'other', 'c', 'd']);
});

test('a caller who waits too long is refused, and leaves the slot to others', async () => {
  const clock = createTestClock(0);
  const enter = createKeyedSemaphore(clock, 1, 5_000);
  const leave = await enter(1);
  const late = enter(1);
  clock.advance(5);
  const message = 'Only 1 of your requests may run at once. Retry in 5 seconds.';
  await expect(late).rejects.toMatchObject({ code: 'too-many-requests', message, retryAfterSeconds: 5 });
  leave();
  expect(await enter(1)).toBeTypeOf('function');
});

test('a caller behind a hundred others is refused at once', async () => {
  const enter = createKeyedSemaphore(createTestClock(0), 1, 5_000);
  const leave = await enter(1);
  const waiting = Array.from({ length: 100 }, () => enter(1));
  await expect(enter(1)).rejects.toMatchObject({ code: 'too-many-requests' });
  expect(await enter(2)).toBeTypeOf('function');
  leave();
  for (const next of waiting) (await next)();
  expect(await enter(1)).toBeTypeOf('function');
});
