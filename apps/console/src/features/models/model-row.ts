import type { ModelFacts } from '@switchyard/contract/models';
import { POINTS_PER_USD } from '@switchyard/contract/money';
import type { Price } from '@switchyard/contract/prices';
import { NANO_POINTS_PER_POINT, RATE_OF_USD_PER_MILLION } from '@switchyard/contract/rates';
import type { UserGroup } from '@switchyard/contract/user-groups';
import type { AvailableModels } from './queries.ts';

export type Groups = Readonly<Record<string, UserGroup>>;

export interface ModelRow {
  name: string;
  owner: string;
  facts: ModelFacts;
  groups: readonly string[];
  /** Null: the default price applies. */
  price: Price | null;
  /** Multiplies the list price for the group whose prices are shown; undefined where it may not call the model. */
  ratio: number | undefined;
}

/** @param group whose prices are shown; without one, the cheapest of the groups that may call a model */
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

export interface RowFilter {
  keyword: string;
  owner: string | undefined;
  group: string | undefined;
}

export function filterRows(rows: readonly ModelRow[], { keyword, owner, group }: RowFilter): ModelRow[] {
  const wanted = keyword.toLowerCase();
  return rows.filter(
    (row) =>
      (wanted === '' || `${row.name} ${row.owner}`.toLowerCase().includes(wanted)) &&
      (owner === undefined || row.owner === owner) &&
      (group === undefined || row.groups.includes(group)),
  );
}

export type Counter = 'input' | 'cachedRead' | 'output';

/**
 * USD of a million tokens, or of one call for a price by call. Counters without a rate of their own are charged like
 * the one they belong to; by call only `input` counts.
 */
export function listPrice(price: Price | null, counter: Counter): number | null {
  if (price === null) return null;
  if (price.type === 'times')
    return counter === 'input' ? price.rates.input / NANO_POINTS_PER_POINT / POINTS_PER_USD : null;
  return (price.rates[counter] ?? price.rates.input) / RATE_OF_USD_PER_MILLION;
}

/** The list price as this row's group pays it. */
export function paidPrice({ price, ratio }: ModelRow, counter: Counter): number | null {
  const listed = listPrice(price, counter);
  return listed === null ? null : listed * (ratio ?? 1);
}
