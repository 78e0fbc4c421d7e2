import type { JsonObject } from './json.ts';

/**
 * Fields by which a client chooses what its answer costs at the vendor, each with the values that leave the list
 * price. Prices here know a model and what it consumed, so that anything else would be the operator's loss.
 * Sources: the request references of OpenAI (`service_tier`: priority is dearer, flex cheaper), Anthropic (`speed`:
 * fast is six times the price; `inference_geo`: a region is a tenth dearer), OpenRouter (`models` and `route` name
 * other models, `provider` who runs them, `plugins` are billed by the call) and xAI (`search_parameters`, by source).
 */
const listPriceValues: Readonly<Record<string, readonly unknown[]>> = {
  service_tier: ['auto', 'default', 'standard_only'],
  speed: ['standard'],
  inference_geo: ['global'],
  models: [],
  route: [],
  provider: [],
  plugins: [],
  search_parameters: [],
};

export const unpricedFields: readonly string[] = Object.keys(listPriceValues);

/** The same object when there is none; the names of what is left out are pushed to `dropped`. */
export function withoutUnpriced(body: JsonObject, dropped: string[]): JsonObject {
  const lost = unpricedFields.filter(
    (field) => body[field] != null && listPriceValues[field]?.includes(body[field]) !== true,
  );
  if (lost.length === 0) return body;
  dropped.push(...lost);
  return Object.fromEntries(Object.entries(body).filter(([field]) => !lost.includes(field)));
}
