import { describe, expect, test } from 'vitest';
import { createEventQueue } from './event-queue.ts';
import { createChance, exponential } from './random.ts';
import { createCores, createFlushes, createRows } from './resources.ts';

describe('a single core', () => {
  /** Mean wait in ms for random arrivals that take 1 ms each, at a given utilisation of the core. */
  function meanWait(utilisation: number): number {
    const queue = createEventQueue();
    const chance = createChance(3);
    const core = createCores(queue, 1);
    let [waited, count] = [0, 0];
    const arrive = (): void => {
      const at = queue.now;
      core.use(1, () => {
        waited += queue.now - at - 1;
        count += 1;
      });
      queue.after(exponential(chance, 1 / utilisation), arrive);
    };
    arrive();
    queue.runUntil(200_000);
    return waited / count;
  }

  test.each([0.3, 0.6, 0.8])('has the waiting time of queueing theory at a utilisation of %f', (utilisation) => {
    const expected = utilisation / (2 * (1 - utilisation));
    expect(meanWait(utilisation) / expected).toBeGreaterThan(0.95);
    expect(meanWait(utilisation) / expected).toBeLessThan(1.05);
  });
});

test('a flush writes for all that arrived before it began, and for no others', () => {
  const queue = createEventQueue();
  const flush = createFlushes(queue, 10);
  const ends: number[] = [];
  for (const at of [0, 4, 9]) queue.after(at, () => flush(() => ends.push(queue.now)));
  queue.runUntil(100);
  expect(ends).toEqual([10, 20, 20]);
});

test('a row is locked by one at a time, in the order of arrival', () => {
  const rows = createRows();
  const seen: string[] = [];
  rows.lock([1, 2], () => seen.push('first'));
  rows.lock([2, 3], () => seen.push('second'));
  rows.lock([3], () => seen.push('third'));
  expect(seen).toEqual(['first', 'third']);
  rows.release([3]);
  expect(seen).toEqual(['first', 'third']);
  rows.release([1, 2]);
  expect(seen).toEqual(['first', 'third', 'second']);
});
