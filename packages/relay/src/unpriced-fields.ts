import { InvalidRequest } from './invalid-request.ts';
import type { JsonObject } from './json.ts';

/**
 * Fields by which a client chooses what its answer costs at the vendor, each with the values that leave the list
 * price. Prices here know a model and what it consumed, so that anything else would be the operator's loss.
 * Sources: the request references of OpenAI and Gemini (`service_tier`: priority is dearer, flex cheaper), Anthropic (`speed`:
 * fast is six times the price), OpenRouter (`models` and `route` name other models, `provider` who runs them, `plugins`
 * are billed by the call), xAI (`search_parameters`, by source) and OpenAI's pictures (`svg` names another model). With
 * `background` the answer, and what it consumed, would be fetched later, by a call that is not relayed: the server makes
 * such responses itself, by a request without it.
 */
const listPriceValues: Readonly<Record<string, readonly unknown[]>> = {
  service_tier: ['auto', 'default', 'standard_only', 'standard', 'unspecified'],
  serviceTier: ['standard', 'unspecified'],
  speed: ['standard'],
  models: [],
  route: [],
  provider: [],
  plugins: [],
  search_parameters: [],
  background: [false],
  svg: [],
};

/** Where the vendor may compute the answer (Anthropic); a region is a tenth dearer. */
const REGION_FIELD = 'inference_geo';

export const unpricedFields: readonly string[] = [...Object.keys(listPriceValues), REGION_FIELD];

/**
 * A region is not left out as the others are: a client that asks for one may not be served elsewhere.
 * @throws InvalidRequest
 */
export function refuseRegion(body: JsonObject): void {
  if ((body[REGION_FIELD] ?? 'global') === 'global') return;
  throw new InvalidRequest(`${REGION_FIELD} is not offered by this gateway.`, REGION_FIELD);
}

/** The same object when there is none; the names of what is left out are pushed to `dropped`. */
export function withoutUnpriced(body: JsonObject, dropped: string[]): JsonObject {
  const lost = Object.keys(listPriceValues).filter(
    (field) => body[field] != null && listPriceValues[field]?.includes(body[field]) !== true,
  );
  if (lost.length === 0) return body;
  dropped.push(...lost);
  return Object.fromEntries(Object.entries(body).filter(([field]) => !lost.includes(field)));
}
