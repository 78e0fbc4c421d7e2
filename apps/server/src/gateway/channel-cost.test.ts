import { rates, tokenRates } from '@switchyard/contract/rates';
import { emptyUsage } from '@switchyard/relay/usage';
import { expect, test } from 'vitest';
import type { PriceRule } from '../ledger/ledger.ts';
import { costOf } from './channel-cost.ts';
import type { ChannelState } from './snapshot.ts';

const POINT = 1_000_000_000;
const rule: PriceRule = {
  model: 'm',
  version: 1,
  type: 'tokens',
  rates: rates.parse({ input: 2 * POINT, output: 10 * POINT, webSearch: 100 * POINT }),
  image_rates: {},
  tiers: [{ above: 1_000, rates: tokenRates.parse({ input: 4 * POINT, output: 20 * POINT }) }],
};
const usage = { ...emptyUsage(), input: 10, output: 1, webSearch: 1 };
const cost = (known: Partial<ChannelState['cost']>): ChannelState['cost'] => ({
  ratioMicros: undefined,
  models: new Map(),
  ...known,
});

test('is unknown for a channel of which nothing is known', () => {
  expect(costOf(cost({}), 'm', rule, usage)).toBeNull();
});

test('is a share of the list price, tiers included', () => {
  expect(costOf(cost({ ratioMicros: 500_000 }), 'm', rule, usage)).toBe(65);
  expect(costOf(cost({ ratioMicros: 500_000 }), 'm', rule, { ...emptyUsage(), input: 2_000 })).toBe(4_000);
});

test('is the buy price of the model at the vendor where there is one, and the list price of what it leaves out', () => {
  const models = new Map([['vendor-m', tokenRates.parse({ input: POINT, output: 3 * POINT })]]);
  const known = cost({ ratioMicros: 500_000, models });
  expect(costOf(known, 'vendor-m', rule, usage)).toBe(113);
  expect(costOf(known, 'vendor-m', { ...rule, type: 'times' }, usage)).toBe(113);
  expect(costOf(known, 'm', rule, usage)).toBe(65);
});
