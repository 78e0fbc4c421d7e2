/**
 * Rates that a price keeps although a list or another product doesn't mention them. Vendors charge the calls of their
 * tools beside the tokens, and images often in their place, but most lists have no fields for these: a price that
 * lost the rates would make them free.
 */

import type { Rates } from '@switchyard/contract/catalog/price-rates';
import type { Price } from '@switchyard/contract/catalog/prices';

type KnownPrice = Pick<Price, 'type' | 'rates' | 'image_rates'>;

/**
 * Returns the rates of vendor tools and images to which a new price of tokens adds its own.
 * @param listed type of the new price, and its rate of an image; undefined: not mentioned
 * @param known prices of the model, the one in effect first
 */
export function findUnlistedRates(
  listed: { type: Price['type']; image: number | null | undefined },
  known: readonly (KnownPrice | undefined)[],
): { rates: Partial<Rates>; image_rates: Price['image_rates'] } {
  // A price per call covers everything.
  const price = listed.type === 'tokens' ? known.find((one) => one?.type === 'tokens') : undefined;
  if (price === undefined) return { rates: {}, image_rates: {} };
  const { webSearch, mapsGrounding, codeExecution, fileSearch, image } = price.rates;
  return {
    rates: { webSearch, mapsGrounding, codeExecution, fileSearch, image },
    // The rates by size would take precedence over the new rate of an image.
    image_rates: listed.image === undefined ? price.image_rates : {},
  };
}
