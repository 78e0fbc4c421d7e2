import type { PriceRule } from '../ledger/ledger.ts';

/**
 * Unknown models cost 30 points for a token, 60 USD for a million, either way: dear enough that nobody offers one
 * for long without a price, and never free by mistake.
 */
const DEFAULT_RATE = 30_000_000_000;

export const defaultPrice: PriceRule = {
  model: '*',
  type: 'tokens',
  rates: {
    input: DEFAULT_RATE,
    output: DEFAULT_RATE,
    cachedRead: null,
    cacheWrite5m: null,
    cacheWrite1h: null,
    reasoning: null,
    audioInput: null,
    audioOutput: null,
    imageInput: null,
    imageOutput: null,
  },
};

/** Looks prices up by model; answers are remembered until the list changes. */
export function createPriceBook(rules: readonly PriceRule[]): (model: string) => PriceRule {
  const exact = new Map(rules.filter((rule) => !rule.model.endsWith('*')).map((rule) => [rule.model, rule]));
  const prefixes = rules
    .filter((rule) => rule.model.endsWith('*'))
    .toSorted((a, b) => b.model.length - a.model.length)
    .map((rule) => ({ prefix: rule.model.slice(0, -1), rule }));
  const remembered = new Map<string, PriceRule>();
  return (model) => {
    const known = exact.get(model) ?? remembered.get(model);
    if (known !== undefined) return known;
    const rule = prefixes.find(({ prefix }) => model.startsWith(prefix))?.rule ?? defaultPrice;
    if (remembered.size < 10_000) remembered.set(model, rule);
    return rule;
  };
}
