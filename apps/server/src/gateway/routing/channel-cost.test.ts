import { rates, tokenRates } from '@switchyard/contract/catalog/price-rates';
import { emptyUsage } from '@switchyard/relay/usage';
import { expect, test } from 'vitest';
import type { PriceRule } from '../../ledger/ledger.ts';
import type { ChannelState } from '../snapshot/snapshot.ts';
import { computeCost } from './channel-cost.ts';

const POINT = 1_000_000_000;
const rule: PriceRule = {
  model: 'm',
  version: 1,
  type: 'tokens',
  rates: rates.parse({ input: 2 * POINT, output: 10 * POINT, webSearch: 100 * POINT }),
  image_rates: {},
  tiers: [{ above: 1_000, rates: tokenRates.parse({ input: 4 * POINT, output: 20 * POINT }) }],
};
const image: PriceRule = { ...rule, model: 'image', rates: rates.parse({ input: POINT, output: 30 * POINT }) };
const list = { rule, ruleOf: () => image };
const usage = { ...emptyUsage(), input: 10, output: 1, webSearch: 1 };
const cost = (known: Partial<ChannelState['cost']>): ChannelState['cost'] => ({
  ratioMicros: undefined,
  models: new Map(),
  ...known,
});

test('returns no cost for a channel without known prices', () => {
  expect(computeCost(cost({}), 'm', list, usage)).toBeNull();
});

test('calculates the cost as a share of the list price, tiers included', () => {
  expect(computeCost(cost({ ratioMicros: 500_000 }), 'm', list, usage)).toBe(65);
  expect(computeCost(cost({ ratioMicros: 500_000 }), 'm', list, { ...emptyUsage(), input: 2_000 })).toBe(4_000);
});

test('uses the provider’s buy price, and the list price for rates that it leaves out', () => {
  const models = new Map([['vendor-m', tokenRates.parse({ input: POINT, output: 3 * POINT })]]);
  const known = cost({ ratioMicros: 500_000, models });
  expect(computeCost(known, 'vendor-m', list, usage)).toBe(113);
  expect(computeCost(known, 'vendor-m', { ...list, rule: { ...rule, type: 'times' } }, usage)).toBe(113);
  expect(computeCost(known, 'm', list, usage)).toBe(65);
});

test('has the other models of an answer in it, each by the channel’s price of it, else by the list', () => {
  const others = [{ model: 'image', usage: { ...emptyUsage(), imageOutput: 10 } }];
  const drawn = { ...usage, others };
  expect(computeCost(cost({ ratioMicros: 500_000 }), 'm', list, drawn)).toBe(65 + 150);
  const models = new Map([['image', tokenRates.parse({ input: POINT, output: 7 * POINT })]]);
  expect(computeCost(cost({ ratioMicros: 500_000, models }), 'm', list, drawn)).toBe(65 + 35);
});
