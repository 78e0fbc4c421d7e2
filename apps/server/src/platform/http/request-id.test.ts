import { expect, test } from 'vitest';
import { createRequestIdGenerator } from './request-id.ts';

const HOUR_MS = 3_600_000;

test.each([
  ['stands still', (_nth: number) => 0],
  ['goes on', (nth: number) => Math.floor(nth / 3)],
  ['was set back by eight hours', (nth: number) => (nth < 10 ? 8 * HOUR_MS : nth)],
  ['goes back and forth', (nth: number) => (nth % 7) * 50],
])('creates sorted ids without a repetition while the clock %s', (_name, offset) => {
  let nth = 0;
  const newId = createRequestIdGenerator(() => 1_780_000_000_000 + offset(nth++), 'abcde', 32);
  const ids = Array.from({ length: 2_000 }, newId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted()).toEqual(ids);
  expect(ids.every((id) => id.length === 18)).toBe(true);
});
