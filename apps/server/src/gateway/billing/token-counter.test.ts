import { Worker } from 'node:worker_threads';
import type { TokenizerInput } from '@switchyard/relay';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { createTestClock } from '../../testing/test-clock.ts';
import { createMemoryBudget } from '../limits/memory-budget.ts';
import { createTokenCounter } from './token-counter.ts';

const MB = 1_048_576;
const clock = createTestClock(0);
const memory = createMemoryBudget(64 * MB);
const counter = createTokenCounter(clock, memory);
afterEach(() => counter.close());

const small: TokenizerInput = { encoding: 'o200k_base', prompt: 'Hello world', nonTextTokens: 3, answer: ' Hello' };
/** Takes a second or so. */
const large: TokenizerInput = {
  encoding: 'o200k_base',
  prompt: Array.from({ length: 900_000 }, (_, i) => String.fromCharCode(0xac00 + ((i * 7_919) % 11_000))).join(''),
  nonTextTokens: 0,
  answer: '',
};
const jobOf = (userId: number) => ({ userId, isSettlement: false });
const charged = (userId: number) => ({ userId, isSettlement: true });

test('counts prompts and answers', async () => {
  expect(await counter.count(small, charged(1))).toEqual({ prompt: 5, answer: 1 });
  expect(await counter.count({ ...small, prompt: '', answer: '' }, charged(1))).toEqual({ prompt: 3, answer: 0 });
});

test('counts for a charge before all that clients asked for, and users alternate', async () => {
  const order: string[] = [];
  const count = (name: string, texts: TokenizerInput, purpose = jobOf(1)): Promise<unknown> =>
    counter.count(texts, purpose).then((counts) => order.push(counts === undefined ? `${name} late` : name));
  const all = [
    count('first large', large),
    count('second large', large),
    count('own small', small),
    count('small of another user', small, jobOf(2)),
    count('charge', small, charged(1)),
  ];
  await Promise.all(all);
  expect(order).toEqual(['charge', 'small of another user', 'first large', 'second large', 'own small']);
});

test('skips a late count, so that it delays no others', async () => {
  const late = [counter.count(large, jobOf(1)), counter.count(large, charged(2)), counter.count(large, jobOf(3))];
  clock.advance(3);
  expect(await Promise.all(late)).toEqual([undefined, undefined, undefined]);
  const slices = vi.spyOn(Worker.prototype, 'postMessage');
  onTestFinished(() => slices.mockRestore());
  expect(await counter.count(small, jobOf(4))).toEqual({ prompt: 5, answer: 1 });
  // Its prompt and its answer, and none of the late texts.
  expect(slices).toHaveBeenCalledTimes(2);
});

test('a thread that cannot be started leaves the text uncounted, and the next text gets one', async () => {
  const program = new URL('http://127.0.0.1/no-program');
  const refused = createTokenCounter(clock, memory, program);
  onTestFinished(() => refused.close());
  const counts = await Promise.all([refused.count(small, charged(1)), refused.count(small, jobOf(2))]);
  expect(counts).toEqual([undefined, undefined]);
  program.href = new URL('./token-counter-worker.ts', import.meta.url).href;
  expect(await refused.count(small, charged(1))).toEqual({ prompt: 5, answer: 1 });
});

test('ends a thread that is stuck in a slice, and the next text gets another one', async () => {
  const stuck = counter.count(large, jobOf(1));
  const next = counter.count(small, jobOf(2));
  clock.advance(2);
  expect(await next).toEqual({ prompt: 5, answer: 1 });
  clock.advance(10);
  expect(await stuck).toBeUndefined();
  expect(await counter.count(small, jobOf(1))).toEqual({ prompt: 5, answer: 1 });
});

test('limits the queued counts of one user, and counts them in the memory budget', async () => {
  const before = memory.usedBytes;
  const waiting = Array.from({ length: 50 }, () => counter.count(large, jobOf(1)));
  expect(memory.usedBytes - before).toBeLessThanOrEqual(8 * MB);
  expect(memory.usedBytes - before).toBeGreaterThan(4 * MB);
  const others = Array.from({ length: 1_000 }, (_, i) => counter.count(small, jobOf(i < 500 ? 2 : i)));
  expect(await counter.count(small, jobOf(3))).toEqual({ prompt: 5, answer: 1 });
  clock.advance(3);
  expect((await Promise.all(waiting)).every((counts) => counts === undefined)).toBe(true);
  await Promise.all(others);
  expect(memory.usedBytes).toBe(before);
});

test('estimates where the memory budget has no room', async () => {
  const share = memory.open();
  share.grow(64 * MB);
  expect(await counter.count(large, charged(1))).toBeUndefined();
  expect(await counter.count(small, charged(1))).toEqual({ prompt: 5, answer: 1 });
  share.release();
});
