import { createModelLookup } from '../models/models.ts';
import { readShippedPrices, type ShippedPrice } from '../prices/prices.ts';

let lookup: ((model: string) => ShippedPrice | undefined) | undefined;

/** Returns the shipped price of a model, found by its name, also without its vendor and date. */
export function findShippedPrice(model: string): ShippedPrice | undefined {
  lookup ??= createModelLookup(readShippedPrices());
  return lookup(model);
}
