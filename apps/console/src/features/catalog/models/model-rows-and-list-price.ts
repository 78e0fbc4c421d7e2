import type { UserGroup } from '@switchyard/contract/accounts/user-groups';
import type { DescribedMetadata } from '@switchyard/contract/catalog/models';
import { RATE_OF_USD_PER_MILLION, RATE_OF_USD_PER_UNIT } from '@switchyard/contract/catalog/price-rates';
import type { Price } from '@switchyard/contract/catalog/prices';
import type { AvailableModels } from './queries.ts';

export type Groups = Readonly<Record<string, UserGroup>>;

export interface ModelRow {
  name: string;
  owner: string;
  facts: DescribedMetadata;
  groups: readonly string[];
  /** Null when the default price applies. */
  price: Price | null;
  /** Price ratio of the group whose prices are shown; undefined when that group may not call the model. */
  ratio: number | undefined;
}

/** @param group group whose prices are shown; by default the cheapest group that may call the model */
export function modelRows(models: AvailableModels, groups: Groups, group: string | undefined): ModelRow[] {
  return Object.entries(models).map(([name, { owned_by, groups: allowed, price, ...facts }]) => {
    const counted = allowed.filter((symbol) => group === undefined || symbol === group);
    const ratios = counted.flatMap((symbol) => groups[symbol]?.ratio ?? []);
    return {
      name,
      owner: owned_by,
      facts,
      groups: allowed,
      price,
      ratio: ratios.length === 0 ? undefined : Math.min(...ratios),
    };
  });
}

export type Counter = 'input' | 'cachedRead' | 'output';

const SECONDS = 60;

/** Unit that the price counts: tokens, unless tokens are free and another unit is not. */
export type Basis = 'token' | 'call' | 'second' | 'character' | 'image';

export function basisOf({ type, rates }: Price): Basis {
  if (type === 'times') return 'call';
  if (rates.input > 0 || rates.output > 0) return 'token';
  return (['second', 'character', 'image'] as const).find((unit) => (rates[unit] ?? 0) > 0) ?? 'token';
}

/**
 * Returns the list price in USD: of a million tokens, a call, a minute, a million characters or the cheapest
 * image. Prices of other units exist only as `input`. A counter without its own rate costs as much as input.
 */
export function listPrice(price: Price | null, counter: Counter): number | null {
  if (price === null) return null;
  const { rates, image_rates } = price;
  const basis = basisOf(price);
  if (basis === 'token') return (rates[counter] ?? rates.input) / RATE_OF_USD_PER_MILLION;
  if (counter !== 'input') return null;
  if (basis === 'call') return rates.input / RATE_OF_USD_PER_UNIT;
  const rate = rates[basis] ?? 0;
  if (basis === 'second') return (rate * SECONDS) / RATE_OF_USD_PER_UNIT;
  if (basis === 'character') return rate / RATE_OF_USD_PER_MILLION;
  return Math.min(rate, ...Object.values(image_rates)) / RATE_OF_USD_PER_UNIT;
}

/** Returns the list price times the group's ratio; null when the group may not call the model. */
export function paidPrice({ price, ratio }: ModelRow, counter: Counter): number | null {
  const listed = listPrice(price, counter);
  return listed === null || ratio === undefined ? null : listed * ratio;
}
