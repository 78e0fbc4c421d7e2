import { expect, test } from 'vitest';
import { createFairTurns } from './fair-turns.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Work of so many slices, each of which takes a millisecond. */
function workOf(slices: number, done: string[], name: string): () => boolean {
  let left = slices;
  return () => {
    const until = performance.now() + 1.1;
    while (performance.now() < until);
    done.push(name);
    left -= 1;
    return left > 0;
  };
}

test('runs all slices in order, alternating between those who wait', async () => {
  const turns = createFairTurns();
  const done: string[] = [];
  turns.add(workOf(3, done, 'a'));
  turns.add(workOf(3, done, 'b'));
  while (done.length < 6) await turn();
  expect(done.join('')).toBe('ababab');
});

test('lets the event loop go on after a millisecond, however much waits', async () => {
  const turns = createFairTurns();
  const done: string[] = [];
  for (let nth = 0; nth < 50; nth += 1) turns.add(workOf(4, done, 'x'));
  let most = 0;
  for (let before = 0; done.length < 200; before = done.length) {
    await turn();
    most = Math.max(most, done.length - before);
  }
  expect(most).toBeLessThanOrEqual(2);
});

test('begins again after it was idle', async () => {
  const turns = createFairTurns();
  const done: string[] = [];
  turns.add(workOf(1, done, 'a'));
  await turn();
  await turn();
  turns.add(workOf(1, done, 'b'));
  await turn();
  await turn();
  expect(done).toEqual(['a', 'b']);
});

test('takes one turn at a time, also when work is added while a turn runs', async () => {
  const turns = createFairTurns();
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
