import { expect, test } from 'vitest';
import { batchSettings } from './task-and-batch-settings.ts';

const ratio = batchSettings.batchPriceRatio.schema;

test('accepts every batch ratio in millionths that a price can be multiplied by', () => {
  for (const value of [0, 0.000_001, 0.1, 0.3, 0.7, 0.29, 0.57, 1.1, 2.675, 4.35, 9.999_999, 10])
    expect([value, ratio.safeParse(value).success]).toEqual([value, true]);
  for (let micros = 0; micros <= 10_000_000; micros += 997)
    expect([micros, ratio.safeParse(micros / 1_000_000).success]).toEqual([micros, true]);
});

test('rejects batch ratios that are finer, negative or too large', () => {
  for (const value of [0.000_000_1, 0.123_456_7, -0.1, 10.1, Number.NaN, Number.POSITIVE_INFINITY])
    expect([value, ratio.safeParse(value).success]).toEqual([value, false]);
});
