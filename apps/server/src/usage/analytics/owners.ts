import { loadOwnerNameLookup } from '../../catalog/model-owners/model-owners.ts';
import { loadModelMetadata } from '../../catalog/models/models.ts';
import { loadPriceLookup } from '../../catalog/prices/prices.ts';
import type { Context } from '../../context.ts';

/** Returns the owners of models: the vendor that a model's price names, else the company documented to have made it. */
export async function loadModelOwners(
  ctx: Context,
  models: readonly string[],
): Promise<Record<string, string>> {
  const priceOf = await loadPriceLookup(ctx);
  const factsOf = await loadModelMetadata(ctx);
  const ownerOf = await loadOwnerNameLookup(ctx);
  const owners = models.map((model) => {
    const maker = factsOf(model)?.owner;
    return [model, ownerOf(priceOf(model)?.channel_type, maker) ?? maker ?? ''];
  });
  return Object.fromEntries(owners);
}
