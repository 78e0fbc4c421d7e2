import { expect, test } from 'vitest';
import { systemTimers } from '../../platform/clock.ts';
import { createFairScheduler } from './fair-scheduler.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Work of so many slices, each of which takes a millisecond or so long. */
function workOf(slices: number, done: string[], name: string, ms = 1.1): () => boolean {
  let left = slices;
  return () => {
    const until = performance.now() + ms;
    while (performance.now() < until);
    done.push(name);
    left -= 1;
    return left > 0;
  };
}

test('all slices run in order, alternating between those who wait', async () => {
  const turns = createFairScheduler(systemTimers);
  const done: string[] = [];
  turns.add(workOf(3, done, 'a', 0));
  turns.add(workOf(3, done, 'b', 0));
  while (done.length < 6) await turn();
  expect(done.join('')).toBe('ababab');
});

test('yields to the event loop after a millisecond, however much work waits', async () => {
  const turns = createFairScheduler(systemTimers);
  const done: string[] = [];
  for (let nth = 0; nth < 50; nth += 1) turns.add(workOf(4, done, 'x'));
  let most = 0;
  for (let before = 0; done.length < 200; before = done.length) {
    await turn();
    most = Math.max(most, done.length - before);
  }
  expect(most).toBeLessThanOrEqual(2);
});

test('work that comes after an idle time is begun', async () => {
  const turns = createFairScheduler(systemTimers);
  const done: string[] = [];
  turns.add(workOf(1, done, 'a'));
  await turn();
  await turn();
  turns.add(workOf(1, done, 'b'));
  await turn();
  await turn();
  expect(done).toEqual(['a', 'b']);
});

test('one turn at a time is taken, also when work is added while a turn runs', async () => {
  const turns = createFairScheduler(systemTimers);
  const done: string[] = [];
  const first = workOf(20, done, 'x');
  turns.add(() => {
    turns.add(workOf(2, done, 'y'));
    return first();
  });
  let most = 0;
  for (let before = 0; done.length < 60; before = done.length) {
    await turn();
    most = Math.max(most, done.length - before);
  }
  expect(most).toBe(1);
});

test('others have the event loop for three times as long as a slice that took long', async () => {
  const turns = createFairScheduler(systemTimers);
  const done: string[] = [];
  const startedAt = performance.now();
  for (let nth = 0; nth < 3; nth += 1) turns.add(workOf(2, done, 'long', 20));
  turns.add(workOf(1, done, 'short', 0));
  while (done.length < 7) await turn();
  expect(done.slice(0, 4)).toEqual(['long', 'long', 'long', 'short']);
  // A slice, three rests, and the last slice; timers may be early by a millisecond.
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(20 + 3 * 60 + 20 - 5);
});

test.each([3, 4, 6])('a small call of twenty turns waits for few slices of %d ms', async (ms) => {
  const scheduler = createFairScheduler(systemTimers);
  const done: string[] = [];
  for (let nth = 0; nth < 4; nth += 1) scheduler.add(workOf(20, done, 'x', ms));
  while (done.length < 4) await turn();
  for (let nth = 0; nth < 20; nth += 1) await turn();
  const waited = done.length - 4;
  while (done.length < 80) await turn();
  expect(waited).toBeLessThan(10);
});
