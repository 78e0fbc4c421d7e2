import type { Price } from '@switchyard/contract/catalog/prices';

/** Models that cost the same in every respect. */
export interface PriceGroup {
  /** Models in order. */
  models: string[];
  /** Price of the first model. */
  price: Price;
}

export function groupPrices(prices: readonly Price[]): PriceGroup[] {
  const groups = Map.groupBy(prices, ({ type, channel_type, rates, image_rates, tiers, locked }) =>
    JSON.stringify([
      type,
      channel_type,
      rates,
      Object.entries(image_rates).toSorted(([one], [other]) => (one < other ? -1 : 1)),
      tiers,
      locked,
    ]),
  );
  return [...groups.values()].flatMap((members) => {
    const sorted = members.toSorted((one, other) => (one.model < other.model ? -1 : 1));
    const [price] = sorted;
    return price === undefined ? [] : [{ models: sorted.map(({ model }) => model), price }];
  });
}
