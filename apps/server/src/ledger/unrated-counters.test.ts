import { rates } from '@switchyard/contract/catalog/price-rates';
import { emptyUsage, type Usage, unitCounters } from '@switchyard/relay/usage';
import { expect, it, test } from 'vitest';
import type { PriceRule } from './price-call.ts';
import { findUnratedCounters } from './unrated-counters.ts';

const PAID = { input: 5, output: 7 };
const ruleOf = (own: object = {}, more: Partial<PriceRule> = {}): PriceRule => ({
  model: 'm*',
  version: 3,
  type: 'tokens',
  rates: rates.parse({ ...PAID, ...own }),
  image_rates: {},
  tiers: [],
  ...more,
});
const counters = (rule: PriceRule, usage: Partial<Usage>): string[] =>
  findUnratedCounters(rule, { ...emptyUsage(), ...usage }, () => rule).map(({ counter }) => counter);

it.each(unitCounters)('names %s without a rate, and neither with one nor with a rate of 0', (counter) => {
  expect(counters(ruleOf(), { [counter]: 1 })).toEqual([counter]);
  expect(counters(ruleOf({ [counter]: 9 }), { [counter]: 1 })).toEqual([]);
  expect(counters(ruleOf({ [counter]: 0 }), { [counter]: 1 })).toEqual([]);
  expect(counters(ruleOf(), { input: 4, reasoning: 2 })).toEqual([]);
});

test.each<[what: string, rule: PriceRule, usage: Partial<Usage>, missing: string[]]>([
  ['images whose tokens are paid', ruleOf(), { image: 1, imageOutput: 90 }, []],
  ['images whose tokens are free', ruleOf({ input: 0, output: 0 }), { image: 1, imageOutput: 90 }, ['image']],
  ['speech whose tokens are paid', ruleOf(), { character: 8, audioOutput: 90 }, []],
  ['a recording whose tokens are paid', ruleOf(), { second: 8, audioInput: 90 }, []],
  ['a recording whose cached tokens are paid', ruleOf(), { second: 8, cachedAudioInput: 90 }, []],
  ['a recording beside a chat', ruleOf(), { second: 8, input: 90, output: 4 }, ['second']],
  ['film whose tokens are paid', ruleOf(), { second: 8, output: 90, imageVariant: '720p' }, []],
  ['a search of a rerank whose tokens are paid', ruleOf(), { search: 1, input: 90 }, []],
  ['an answer grounded with Maps', ruleOf(), { mapsGrounding: 1, input: 90 }, ['mapsGrounding']],
  ['a search of the web beside tokens', ruleOf(), { webSearch: 1, input: 90, output: 4 }, ['webSearch']],
  ['a size with a rate', ruleOf({}, { image_rates: { a: 1 } }), { image: 1, imageVariant: 'a/hd' }, []],
  ['a size of 0', ruleOf({}, { image_rates: { a: 0 } }), { image: 1, imageVariant: 'a' }, []],
  ['a size without a rate', ruleOf({}, { image_rates: { a: 1 } }), { image: 1, imageVariant: 'b' }, []],
  ['a price by the call', ruleOf({}, { type: 'times' }), { webSearch: 1 }, []],
  ['audio beside text', ruleOf(), { output: 4, audioOutput: 90 }, ['audioOutput']],
  ['images beside text', ruleOf(), { output: 4, imageOutput: 90 }, ['imageOutput']],
  ['audio beside text with its rate', ruleOf({ audioOutput: 9 }), { output: 4, audioOutput: 90 }, []],
  ['images beside text with a rate of 0', ruleOf({ imageOutput: 0 }), { output: 4, imageOutput: 90 }, []],
  ['the audio of a speech model', ruleOf(), { input: 4, audioOutput: 90 }, []],
  ['the images of a free model', ruleOf({ input: 0, output: 0 }), { output: 4, imageOutput: 90 }, []],
  ['the built-in price', ruleOf({}, { version: 0 }), { search: 1 }, []],
])('judges %s', (_what, rule, usage, missing) => {
  expect(counters(rule, usage)).toEqual(missing);
});

it('names the entry of another model for what that model used', () => {
  const other = ruleOf({}, { model: 'other', version: 9 });
  const others = [{ model: 'other-1', usage: { ...emptyUsage(), image: 2 } }];
  expect(findUnratedCounters(ruleOf(), { ...emptyUsage(), input: 1, others }, () => other)).toEqual([
    { model: 'other', version: 9, counter: 'image' },
  ]);
});
