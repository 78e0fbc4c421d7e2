import { providers } from '@switchyard/relay';
import type { Context } from '../../context.ts';
import { loadFacts } from '../models/models.ts';
import { loadPriceLookup } from '../prices/prices.ts';

/** Who owns models: the vendor that their price names, else whoever is documented to have made them. */
export async function ownersOf(ctx: Context, models: readonly string[]): Promise<Record<string, string>> {
  const priceOf = await loadPriceLookup(ctx);
  const factsOf = await loadFacts(ctx);
  const owners = models.map((model) => {
    const type = priceOf(model)?.channel_type ?? 0;
    const maker = factsOf(model)?.owner;
    const vendor = providers.find((known) => (type === 0 ? known.id === maker : known.channelType === type));
    return [model, vendor?.label ?? maker ?? ''];
  });
  return Object.fromEntries(owners);
}
