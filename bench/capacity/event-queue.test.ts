import { expect, test } from 'vitest';
import { createEventQueue } from './event-queue.ts';

test('runs events that are due at the same time in the order of their insertion', () => {
  const queue = createEventQueue();
  const seen: number[] = [];
  for (const [ms, name] of [
    [5, 3],
    [1, 1],
    [5, 4],
    [1, 2],
    [9, 5],
  ] as const)
    queue.after(ms, () => seen.push(name));
  queue.runUntil(5);
  expect(seen).toEqual([1, 2, 3, 4]);
  expect(queue.now).toBe(5);
  queue.runUntil(10);
  expect(seen).toEqual([1, 2, 3, 4, 5]);
});
