import { expect, onTestFinished, test, vi } from 'vitest';
import { systemTimers } from '../../platform/clock.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { createPacedExecutor, runPaced } from './paced-executor.ts';

/** Keeps the process busy. */
function busy(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test('users alternate, regardless of their numbers of requests', async () => {
  const clock = createTestClock(0);
  const time = vi.spyOn(performance, 'now').mockImplementation(() => clock.elapsed());
  onTestFinished(() => time.mockRestore());
  const spaced = createPacedExecutor(clock);
  const order: number[] = [];
  const run = (userId: number) =>
    spaced.run(userId, () => {
      order.push(userId);
      clock.advance(0.002);
    });
  const pieces = Promise.all([run(1), run(1), run(1), run(1), run(2), run(2)]);
  while (order.length < 6) clock.advance(0.001);
  await pieces;
  expect(order).toEqual([1, 2, 1, 2, 1, 1]);
});

test('others have three times as long as a piece took', async () => {
  const spaced = createPacedExecutor(systemTimers);
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: 4 }, () => spaced.run(1, () => busy(10))));
  // Three rests, and four pieces.
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(3 * 30 + 4 * 10 - 5);
});

test('a user whose pieces are long delays the short ones of another by one piece, not by each', async () => {
  const spaced = createPacedExecutor(systemTimers);
  const startedAt = performance.now();
  const long = Array.from({ length: 4 }, () => spaced.run(1, () => busy(100)));
  for (let n = 0; n < 8; n += 1) await spaced.run(2, () => busy(1));
  expect(performance.now() - startedAt).toBeLessThan(600);
  await Promise.all(long);
});

test('short pieces run at once, until their user has had many of them', async () => {
  const spaced = createPacedExecutor(systemTimers);
  let done = 0;
  const work = (): void => {
    busy(5);
    done += 1;
  };
  const pieces = Array.from({ length: 10 }, async () => spaced.runShort(1, work));
  expect(done).toBeLessThanOrEqual(5);
  expect(spaced.runShort(2, () => 7)).toBe(7);
  await Promise.all(pieces);
  expect(done).toBe(10);
  expect(() =>
    spaced.runShort(3, () => {
      throw new RangeError('no');
    }),
  ).toThrow(RangeError);
});

test('users together take a quarter of the time', async () => {
  const spaced = createPacedExecutor(systemTimers);
  const startedAt = performance.now();
  await Promise.all([1, 2, 3].flatMap((userId) => Array.from({ length: 3 }, () => spaced.run(userId, () => busy(10)))));
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(8 * 40 + 10 - 5);
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
    runShort: <T>(_userId: number, work: () => T): T => work(),
  };
  const request = { body: Buffer.from(text), form: ofForm };
  expect(await runPaced(spaced, 1, request, () => 7)).toBe(7);
  expect(runs).toBe(isSpaced ? 1 : 0);
});
