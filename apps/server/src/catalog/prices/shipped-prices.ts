/** The price list that comes with the product. Rates are nano-points, as in the contract. */
import { readFileSync } from 'node:fs';
import { imageRates, type Rates, rates, type Tier, tiers } from '@switchyard/contract/catalog/rates';
import { findProvider } from '@switchyard/relay';
import { z } from 'zod';

const shippedList = z.object({
  prices: z.array(
    z.object({
      model: z.string(),
      owner: z.string(),
      type: z.enum(['tokens', 'times']).default('tokens'),
      rates,
      image_rates: imageRates,
      tiers,
    }),
  ),
});

/** Provider ids here, by the vendor names of the list's source that differ. */
const providerIds: Readonly<Record<string, string>> = {
  google: 'gemini',
  'x-ai': 'xai',
  voyageai: 'voyage',
};

/** The integer of the provider that the list names as a model's owner; 0 when it is none of ours. */
export function channelTypeOf(owner: string): number {
  return findProvider(providerIds[owner] ?? owner)?.channelType ?? 0;
}

export interface ShippedPrice {
  model: string;
  /** The owner's integer for display; 0 when it is none of our providers. */
  channelType: number;
  type: 'tokens' | 'times';
  rates: Rates;
  imageRates: Readonly<Record<string, number>>;
  tiers: Tier[];
}

/** Read from its file with each call: it is needed at the first start and when an administrator asks. */
export function readShippedPrices(): ShippedPrice[] {
  const text = readFileSync(new URL('./shipped-prices.json', import.meta.url), 'utf8');
  return shippedList
    .parse(JSON.parse(text))
    .prices.map(({ model, owner, type, rates, image_rates, tiers }) => ({
      model,
      channelType: channelTypeOf(owner),
      type,
      rates,
      imageRates: image_rates,
      tiers,
    }));
}
