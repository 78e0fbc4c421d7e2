import { expect, test } from 'vitest';
import { estimatePercentile } from './attempt-stats.ts';
import { firstContentBounds, firstContentColumns } from './table.ts';

const counts = (classes: Record<number, number>) => firstContentColumns.map((_, at) => classes[at] ?? 0);

test('no answer has no percentile', () => {
  expect(estimatePercentile(counts({}), 0.5)).toBeNull();
});

test('a percentile is in the bucket in which its response was counted', () => {
  expect(estimatePercentile(counts({ 0: 100 }), 0.5)).toBe(125);
  expect(estimatePercentile(counts({ 0: 50, 4: 50 }), 0.95)).toBeGreaterThan(1_500);
  expect(estimatePercentile(counts({ 0: 50, 4: 50 }), 0.95)).toBeLessThanOrEqual(2_000);
});

test('a latency above all buckets counts as the end of the last one', () => {
  expect(estimatePercentile(counts({ 11: 3 }), 0.5)).toBe(firstContentBounds.at(-1));
});
