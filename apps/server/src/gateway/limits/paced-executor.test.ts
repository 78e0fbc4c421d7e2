import { expect, test } from 'vitest';
import { systemTimers } from '../../platform/clock.ts';
import { createPacedExecutor, runPaced } from './paced-executor.ts';

/** Keeps the process busy. */
function busy(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test('users alternate, regardless of their numbers of requests', async () => {
  const spaced = createPacedExecutor(systemTimers);
  const order: number[] = [];
  const run = (userId: number) => spaced.run(userId, () => order.push(userId));
  await Promise.all([run(1), run(1), run(1), run(1), run(2), run(2)]);
  expect(order).toEqual([1, 1, 2, 1, 2, 1]);
});

test('others have three times as long as a piece took', async () => {
  const spaced = createPacedExecutor(systemTimers);
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: 4 }, () => spaced.run(1, () => busy(10))));
  // Three rests, and four pieces.
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(3 * 30 + 4 * 10 - 5);
});

test('returns the result or the error of the work, and runs the next work', async () => {
  const spaced = createPacedExecutor(systemTimers);
  const failed = spaced.run(1, () => {
    throw new RangeError('no');
  });
  await expect(failed).rejects.toThrow(RangeError);
  expect(await spaced.run(1, () => 7)).toBe(7);
});

const form = { boundary: 'b', parts: [] };
test.each([
  ['a short body', '{"model":"m"}', undefined, false],
  ['a body that lists much', `[${'{},'.repeat(60_000)}{}]`, undefined, true],
  ['a long text', `"${'x'.repeat(300_000)}"`, undefined, true],
  ['a short form', 'x', form, false],
  ['a long form', 'x'.repeat(300_000), form, true],
] as const)('work on %s is done spaced where it is long', async (_name, text, ofForm, isSpaced) => {
  let runs = 0;
  const spaced = {
    run: async <T>(_userId: number, work: () => T): Promise<T> => {
      runs += 1;
      return work();
    },
  };
  const request = { body: Buffer.from(text), form: ofForm };
  expect(await runPaced(spaced, 1, request, () => 7)).toBe(7);
  expect(runs).toBe(isSpaced ? 1 : 0);
});
