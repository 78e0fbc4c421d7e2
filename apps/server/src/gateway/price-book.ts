import type { PriceRule } from '../ledger/ledger.ts';

/**
 * Unknown models cost 30 points for a token, 60 USD for a million, either way: dear enough that nobody offers one
 * for long without a price, and never free by mistake.
 */
const DEFAULT_RATE = 30_000_000_000;

const defaultPrice: PriceRule = {
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

const REMEMBERED_MAX = 10_000;

/** Every model has a price here. Answers are remembered for as long as the book lives: until the list changes. */
export function createPriceBook(
  find: (model: string) => PriceRule | undefined,
): (model: string) => PriceRule {
  const remembered = new Map<string, PriceRule>();
  return (model) => {
    const known = remembered.get(model);
    if (known !== undefined) return known;
    const rule = find(model) ?? defaultPrice;
    if (remembered.size < REMEMBERED_MAX) remembered.set(model, rule);
    return rule;
  };
}
