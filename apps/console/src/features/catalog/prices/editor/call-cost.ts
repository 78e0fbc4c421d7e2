import type { Price } from '@switchyard/contract/catalog/prices';
import type { PriceType } from './rate-units.ts';

const MILLION = 1_000_000;

interface UsdRates {
  input: number | null;
  output: number | null;
  cachedRead: number | null;
}

export interface TokenCounts {
  /** Input tokens without the cached ones. */
  input: number;
  cachedRead: number;
  output: number;
}

/** Returns the cost of one call in USD at group ratio 1; undefined while a rate is missing. */
export function callCost(type: PriceType, rates: UsdRates, tokens: TokenCounts): number | undefined {
  const input = known(rates.input);
  if (type === 'times' || input === undefined) return input;
  const output = known(rates.output);
  if (output === undefined) return undefined;
  const cached = known(rates.cachedRead) ?? input;
  return (tokens.input * input + tokens.cachedRead * cached + tokens.output * output) / MILLION;
}

/** Returns the rate; undefined while the field is empty or not a number. */
function known(rate: number | null): number | undefined {
  return rate === null || !Number.isFinite(rate) ? undefined : rate;
}

/** Returns the price for a model: its own, otherwise the longest wildcard that matches. */
export function applyingPrice(prices: readonly Price[], model: string): Price | undefined {
  const own = prices.find((price) => price.model === model);
  if (own !== undefined) return own;
  return prices
    .filter(({ model: pattern }) => pattern.endsWith('*') && model.startsWith(pattern.slice(0, -1)))
    .toSorted((one, other) => other.model.length - one.model.length)[0];
}
