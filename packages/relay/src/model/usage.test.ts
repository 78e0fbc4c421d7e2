import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  emptyUsage,
  mergeReports,
  outputTokens,
  promptTokens,
  Shares,
  type Usage,
  unitCounters,
  usageCounters,
} from './usage.ts';

const usages = fc
  .record(Object.fromEntries(usageCounters.map((counter) => [counter, fc.nat(1_000)])))
  .map((counts): Usage => Object.assign(emptyUsage(), counts));

test('merges two reports to the larger prompt, output and count of each unit', () => {
  fc.assert(
    fc.property(usages, usages, (earlier, later) => {
      const most = mergeReports(earlier, later);
      expect(promptTokens(most)).toBe(Math.max(promptTokens(earlier), promptTokens(later)));
      expect(outputTokens(most)).toBe(Math.max(outputTokens(earlier), outputTokens(later)));
      for (const counter of unitCounters) expect(most[counter]).toBe(Math.max(earlier[counter], later[counter]));
    }),
  );
});

test('replaces an earlier split of the same prompt by a later one', () => {
  const earlier = { ...emptyUsage(), input: 21_000 };
  const later = { ...emptyUsage(), input: 1_000, cachedRead: 20_000 };
  expect(mergeReports(earlier, later)).toEqual(later);
  expect(mergeReports(undefined, later)).toBe(later);
});

test('keeps the doubts of two reports about the billed counters', () => {
  const earlier: Usage = {
    ...emptyUsage(),
    input: 100,
    cachedRead: 900,
    output: 5,
    disputed: { cachedRead: 900 },
    implausible: ['imageInput'],
  };
  const later: Usage = { ...emptyUsage(), input: 10, output: 500, disputed: { output: 400 } };
  expect(mergeReports(earlier, later)).toMatchObject({
    cachedRead: 900,
    output: 500,
    disputed: { cachedRead: 900, output: 400 },
    implausible: ['imageInput'],
  });
  expect(mergeReports(later, { ...later, output: 600, disputed: {} }).disputed).toMatchObject({ input: 0 });
});

test('reports parts that exceed their total', () => {
  const shares = new Shares(100);
  expect(shares.take('cachedRead', 60)).toBe(60);
  expect(shares.take('audioInput', 1_000)).toBe(40);
  expect(shares.take('imageInput', 5, 9)).toBe(0);
  expect(shares.rest).toBe(0);
  expect(shares.implausible).toEqual(['audioInput', 'cachedRead']);
});
