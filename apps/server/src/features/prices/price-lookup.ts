/**
 * Finds the entry of the price list that applies to a model: its own, else the longest `prefix*`. A look-up costs one
 * map access for each length that a prefix has, however long the list is.
 */
export function createPriceLookup<P extends { model: string }>(
  prices: readonly P[],
): (model: string) => P | undefined {
  const exact = new Map(prices.map((price) => [price.model, price]));
  const lengths = new Set(
    prices.filter(({ model }) => model.endsWith('*')).map(({ model }) => model.length - 1),
  );
  const longestFirst = [...lengths].toSorted((a, b) => b - a);
  return (model) => {
    const own = exact.get(model);
    if (own !== undefined) return own;
    for (const length of longestFirst) {
      const price = length <= model.length ? exact.get(`${model.slice(0, length)}*`) : undefined;
      if (price !== undefined) return price;
    }
    return undefined;
  };
}
