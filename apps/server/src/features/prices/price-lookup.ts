/** Finds the entry of the price list that applies to a model: its own, else the longest `prefix*`. */
export function createPriceLookup<P extends { model: string }>(
  prices: readonly P[],
): (model: string) => P | undefined {
  const exact = new Map(prices.map((price) => [price.model, price]));
  const wildcards = prices
    .filter(({ model }) => model.endsWith('*'))
    .map((price) => ({ prefix: price.model.slice(0, -1), price }))
    .toSorted((a, b) => b.prefix.length - a.prefix.length);
  return (model) => exact.get(model) ?? wildcards.find(({ prefix }) => model.startsWith(prefix))?.price;
}
