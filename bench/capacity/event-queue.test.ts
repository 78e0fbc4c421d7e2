import { expect, test } from 'vitest';
import { createAgenda } from './event-queue.ts';

test('runs events that are due at the same time in the order of their insertion', () => {
  const agenda = createAgenda();
  const seen: number[] = [];
  for (const [ms, name] of [
    [5, 3],
    [1, 1],
    [5, 4],
    [1, 2],
    [9, 5],
  ] as const)
    agenda.after(ms, () => seen.push(name));
  agenda.runUntil(5);
  expect(seen).toEqual([1, 2, 3, 4]);
  expect(agenda.now).toBe(5);
  agenda.runUntil(10);
  expect(seen).toEqual([1, 2, 3, 4, 5]);
});
