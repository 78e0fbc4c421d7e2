import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  emptyUsage,
  mostReported,
  outputTokens,
  promptTokens,
  type Usage,
  unitCounters,
  usageCounters,
} from './usage.ts';

const usages = fc
  .record(Object.fromEntries(usageCounters.map((counter) => [counter, fc.nat(1_000)])))
  .map((counts): Usage => Object.assign(emptyUsage(), counts));

test('two reports bill the larger prompt, the larger output and the larger count of each unit', () => {
  fc.assert(
    fc.property(usages, usages, (earlier, later) => {
      const most = mostReported(earlier, later);
      expect(promptTokens(most)).toBe(Math.max(promptTokens(earlier), promptTokens(later)));
      expect(outputTokens(most)).toBe(Math.max(outputTokens(earlier), outputTokens(later)));
      for (const counter of unitCounters)
        expect(most[counter]).toBe(Math.max(earlier[counter], later[counter]));
    }),
  );
});

test('a later report that splits the same prompt in another way replaces the earlier split', () => {
  const earlier = { ...emptyUsage(), input: 21_000 };
  const later = { ...emptyUsage(), input: 1_000, cachedRead: 20_000 };
  expect(mostReported(earlier, later)).toEqual(later);
  expect(mostReported(undefined, later)).toBe(later);
});
