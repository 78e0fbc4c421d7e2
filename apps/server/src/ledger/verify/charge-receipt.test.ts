import { rates } from '@switchyard/contract/catalog/price-rates';
import { emptyUsage } from '@switchyard/relay/usage';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { pricedCases } from '../../testing/price-oracle.ts';
import { priceCall } from '../price-call.ts';
import { createReceipt, type Receipt, recomputeCharge } from './charge-receipt.ts';

test('any charge can be calculated again from its stored receipt alone', () => {
  fc.assert(
    fc.property(pricedCases, ({ rule, otherRules, ratios, usage }) => {
      const charge = priceCall(rule, ratios, usage, (model) => otherRules[model] ?? rule);
      const stored = JSON.parse(JSON.stringify(createReceipt(rule, ratios, charge))) as Receipt;
      expect(recomputeCharge(stored)).toBe(charge.points);
    }),
    { numRuns: 1_000 },
  );
});

test('a receipt from before versions and token ratios still gives its charge', () => {
  const old: Receipt = {
    price_type: 'tokens',
    price_model: 'gpt-4o*',
    ratio_micros: 1_500_000,
    lines: [{ counter: 'input', quantity: 3, rate: 1_000_000_000 }],
  };
  expect(recomputeCharge(old)).toBe(5);
});

test('a receipt whose batch ratio applied to calls of tools still gives its charge', () => {
  const line = { counter: 'webSearch', quantity: 2, rate: 5_000_000_000 } as const;
  const old: Receipt = {
    price_type: 'tokens',
    price_model: 'm',
    ratio_micros: 1_000_000,
    batch_ratio_micros: 500_000,
    lines: [line],
  };
  expect(recomputeCharge(old)).toBe(5);
  expect(recomputeCharge({ ...old, lines: [{ ...line, undiscounted: true }] })).toBe(10);
});

test('a simple receipt has no empty field', () => {
  const rule = {
    model: 'm',
    version: 4,
    type: 'times' as const,
    rates: rates.parse({ input: 7_000_000_000, output: 0 }),
    image_rates: {},
    tiers: [],
  };
  const ratios = { group: 1_000_000, key: 1_000_000 };
  const receipt = createReceipt(rule, ratios, priceCall(rule, ratios, { ...emptyUsage(), input: 1 }));
  expect(receipt).toEqual({
    price_type: 'times',
    price_model: 'm',
    price_version: 4,
    ratio_micros: 1_000_000,
    rounding: 'up',
    lines: [{ counter: 'call', quantity: 1, rate: 7_000_000_000 }],
  });
});
