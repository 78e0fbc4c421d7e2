import { rates } from '@switchyard/contract/prices';
import { emptyUsage, type Usage, usageCounters } from '@switchyard/relay';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type PriceRule, priceCall, priceEstimate } from './price.ts';

const RATIO_ONE = 1_000_000;
const POINT = 1_000_000_000;

const rule = (own: Partial<PriceRule['rates']>, type: PriceRule['type'] = 'tokens'): PriceRule => ({
  model: 'm',
  type,
  rates: rates.parse({ input: 0, output: 0, ...own }),
});
const usage = (counts: Partial<Usage>): Usage => ({ ...emptyUsage(), ...counts });

describe('the charge for tokens', () => {
  test('is tokens times rate times ratio', () => {
    const price = rule({ input: POINT, output: 5 * POINT });
    expect(priceCall(price, RATIO_ONE, usage({ input: 100, output: 10 })).points).toBe(150);
    expect(priceCall(price, 1_500_000, usage({ input: 100, output: 10 })).points).toBe(225);
  });

  test('is rounded once, up, and at least one point when anything has a price', () => {
    expect(priceCall(rule({ input: 1, output: 0 }), RATIO_ONE, usage({ input: 1 })).points).toBe(1);
    const third = rule({ input: 333_333_333, output: 333_333_333 });
    expect(priceCall(third, RATIO_ONE, usage({ input: 1, output: 1 })).points).toBe(1);
  });

  test('is nothing for a free model, a free group, and no tokens', () => {
    expect(priceCall(rule({}), RATIO_ONE, usage({ input: 1_000 })).points).toBe(0);
    expect(priceCall(rule({ input: POINT }), 0, usage({ input: 1_000 })).points).toBe(0);
    expect(priceCall(rule({ input: POINT }), RATIO_ONE, usage({})).points).toBe(0);
  });

  test.each([
    ['cachedRead', 'input'],
    ['cacheWrite5m', 'input'],
    ['cacheWrite1h', 'input'],
    ['audioInput', 'input'],
    ['imageInput', 'input'],
    ['reasoning', 'output'],
    ['audioOutput', 'output'],
    ['imageOutput', 'output'],
  ] as const)('takes %s at its own rate, else at the rate of %s', (counter, parent) => {
    const tokens = usage({ [counter]: 10 });
    const base = { input: 2 * POINT, output: 7 * POINT };
    expect(priceCall(rule(base), RATIO_ONE, tokens).points).toBe((10 * base[parent]) / POINT);
    expect(priceCall(rule({ ...base, [counter]: 3 * POINT }), RATIO_ONE, tokens).points).toBe(30);
  });

  test('equals exact arithmetic for every usage and every price, and its lines add up to it', () => {
    const tokens = fc.integer({ min: 0, max: 100_000_000 });
    const rate = fc.integer({ min: 0, max: 1_000_000_000_000 });
    fc.assert(
      fc.property(
        fc.record(Object.fromEntries(usageCounters.map((counter) => [counter, tokens]))),
        fc.record(Object.fromEntries(usageCounters.map((counter) => [counter, rate]))),
        fc.integer({ min: 0, max: 10_000_000 }),
        (counts, own, ratioMicros) => {
          const nano = usageCounters.reduce(
            (sum, counter) => sum + BigInt(counts[counter] ?? 0) * BigInt(own[counter] ?? 0),
            0n,
          );
          const micro = nano * BigInt(ratioMicros);
          const exact = micro / 10n ** 15n + (micro % 10n ** 15n > 0n ? 1n : 0n);
          fc.pre(exact <= BigInt(Number.MAX_SAFE_INTEGER));
          const { points, lines } = priceCall(rule(own), ratioMicros, usage(counts));
          expect(BigInt(points)).toBe(exact);
          expect(lines.reduce((sum, line) => sum + BigInt(line.quantity) * BigInt(line.rate), 0n)).toBe(nano);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('never falls when more tokens are used', () => {
    const price = rule({ input: 123_456_789, output: 987_654_321 });
    const count = fc.integer({ min: 0, max: 1_000_000 });
    fc.assert(
      fc.property(count, count, count, (input, output, more) => {
        const less = priceCall(price, 1_234_567, usage({ input, output })).points;
        expect(
          priceCall(price, 1_234_567, usage({ input: input + more, output })).points,
        ).toBeGreaterThanOrEqual(less);
      }),
    );
  });
});

describe('the charge for a call', () => {
  const call = rule({ input: 2_000 * POINT }, 'times');

  test('does not depend on the tokens', () => {
    expect(priceCall(call, RATIO_ONE, usage({ input: 1 })).points).toBe(2_000);
    expect(priceCall(call, RATIO_ONE, usage({ input: 90_000, output: 5 })).points).toBe(2_000);
  });

  test('is nothing when nothing was used', () => {
    expect(priceCall(call, RATIO_ONE, usage({})).points).toBe(0);
  });
});

test('the estimate for a hold covers a call that uses what was estimated', () => {
  const price = rule({ input: 1_300_000_000, output: 7_700_000_000 });
  const used = priceCall(price, 1_100_000, usage({ input: 812, output: 1_000 })).points;
  expect(priceEstimate(price, 1_100_000, 812, 1_000)).toBe(used);
});
