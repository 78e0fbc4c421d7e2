import {
  RATE_OF_USD_PER_MILLION,
  RATE_OF_USD_PER_UNIT,
  rates as ratesSchema,
} from '@switchyard/contract/catalog/price-rates';
import { expect, it } from 'vitest';
import { changesOfVersions } from './price-history.tsx';

const usd = (amount: number) => amount * RATE_OF_USD_PER_MILLION;
const rates = (input: number, output: number, cachedRead: number | null = null) =>
  ratesSchema.parse({ input: usd(input), output: usd(output), cachedRead });
const version = { version: 1, created_at: 0, model: 'm', type: 'tokens' as const, image_rates: {}, tiers: [] };

it('lists every changed rate in USD, including tiers and images', () => {
  const before = {
    ...version,
    rates: rates(3, 15, usd(0.3)),
    tiers: [{ above: 1000, rates: rates(6, 20) }],
    image_rates: { hd: 0.04 * RATE_OF_USD_PER_UNIT },
  };
  const after = {
    ...version,
    rates: rates(2.5, 15),
    tiers: [{ above: 2000, rates: rates(6, 20) }],
    image_rates: { hd: 0.08 * RATE_OF_USD_PER_UNIT, sd: 0 },
  };
  expect(changesOfVersions(before, after)).toEqual([
    { what: 'rate', kind: 'input', above: 0, from: 3, to: 2.5 },
    { what: 'rate', kind: 'cachedRead', above: 0, from: 0.3, to: null },
    { what: 'rate', kind: 'input', above: 1000, from: 6, to: null },
    { what: 'rate', kind: 'output', above: 1000, from: 20, to: null },
    { what: 'rate', kind: 'input', above: 2000, from: null, to: 6 },
    { what: 'rate', kind: 'output', above: 2000, from: null, to: 20 },
    { what: 'image', variant: 'hd', from: 0.04, to: 0.08 },
    { what: 'image', variant: 'sd', from: null, to: 0 },
  ]);
});

it('lists a change of the price type, and no rates that are equal for one call', () => {
  const byCall = { ...version, type: 'times' as const };
  const call = ratesSchema.parse({ input: 0.02 * RATE_OF_USD_PER_UNIT, output: 0 });
  expect(changesOfVersions({ ...version, rates: rates(0.02, 0) }, { ...byCall, rates: call })).toEqual([
    { what: 'type', from: 'tokens', to: 'times' },
  ]);
  expect(changesOfVersions({ ...byCall, rates: call }, { ...byCall, rates: call })).toEqual([]);
});
