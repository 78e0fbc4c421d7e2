import { InvalidRequest } from './invalid-request.ts';
import { isObject, type JsonObject, textOf } from './json.ts';

/**
 * Fields by which a client chooses what its answer costs at the vendor, each with the values that leave the list
 * price. Prices here know a model and what it consumed, so that anything else would be the operator's loss.
 * Sources: the request references of OpenAI and Gemini (`service_tier`: priority is dearer, flex cheaper), Anthropic (`speed`:
 * fast is six times the price), OpenRouter (`models` and `route` name other models, `provider` who runs them, `plugins`
 * are billed by the call), Anthropic and OpenRouter (`fallbacks` names models that stand in), xAI (`search_parameters`, by
 * source) and OpenAI's pictures (`svg` names another model). With
 * `background` the answer, and what it consumed, would be fetched later, by a call that is not relayed: the server makes
 * such responses itself, by a request without it.
 */
const listPriceValues: Readonly<Record<string, readonly unknown[]>> = {
  service_tier: ['auto', 'default', 'standard_only', 'standard', 'unspecified'],
  serviceTier: ['standard', 'unspecified'],
  speed: ['standard'],
  models: [],
  fallbacks: [],
  fallback_models: [],
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

/**
 * Members that hold what the client says, in which any word is content, and `requests` of Gemini's embeddings, whose model
 * is the checked one.
 */
const contentFields: ReadonlySet<string> = new Set([
  'requests',
  'messages',
  'contents',
  'content',
  'input',
  'system',
  'systemInstruction',
  'system_instruction',
  'instructions',
  'prompt',
  'metadata',
  'labels',
  'response_format',
  'text',
  'parameters',
  'parametersJsonSchema',
  'parameters_json_schema',
  'input_schema',
  'schema',
  'responseSchema',
  'response_schema',
  'responseJsonSchema',
  'headers',
  'arguments',
  'args',
]);

/** Fields that choose a model or a price class also inside a tool or an option. */
const choosingFields: ReadonlySet<string> = new Set([
  'model',
  'models',
  'fallbacks',
  'fallback_models',
  'service_tier',
  'serviceTier',
  'speed',
]);

/** Tools that cannot do without a model of their own. https://docs.claude.com/en/docs/agents-and-tools/tool-use */
const modelTool = /^advisor/;

/** Deeper than this no vendor has an option. */
const OPTION_DEPTH_MAX = 16;

/**
 * The same object when there is none; the names of what is left out are pushed to `dropped`.
 * @param imageToolModel name at the vendor that replaces the image tool's model, which is then paid for by its own price;
 * absent, that model is left out as well
 */
export function withoutUnpriced(body: JsonObject, dropped: string[], imageToolModel?: string): JsonObject {
  const lost = Object.keys(listPriceValues).filter(
    (field) => body[field] != null && listPriceValues[field]?.includes(body[field]) !== true,
  );
  dropped.push(...lost);
  let priced = body;
  for (const [field, value] of Object.entries(body)) {
    if (lost.includes(field)) {
      priced = without(priced, field);
      continue;
    }
    if (contentFields.has(field)) continue;
    const kept = withoutChoices(value, field, { dropped, imageToolModel }, 1);
    if (kept !== value) priced = { ...priced, [field]: kept };
  }
  return priced;
}

function without(object: JsonObject, field: string): JsonObject {
  const { [field]: _left, ...others } = object;
  return others;
}

interface Leaving {
  dropped: string[];
  imageToolModel: string | undefined;
}

/** The same value when nothing in it chooses a model or a price class. @param path by which a field is named */
function withoutChoices(value: unknown, path: string, leaving: Leaving, depth: number): unknown {
  if (depth > OPTION_DEPTH_MAX) return value;
  if (Array.isArray(value)) {
    const kept = value
      .filter((item) => !isModelTool(item, path, leaving.dropped))
      .map((item) => withoutChoices(item, path, leaving, depth + 1));
    const isSame = kept.length === value.length && kept.every((item, nth) => item === value[nth]);
    return isSame ? value : kept;
  }
  if (!isObject(value)) return value;
  let kept = value;
  for (const [field, inner] of Object.entries(value)) {
    if (contentFields.has(field)) continue;
    if (choosingFields.has(field) && inner != null) {
      const paid = paidModel(value, `${path}.${field}`, leaving);
      if (paid === undefined) leaving.dropped.push(`${path}.${field}`);
      if (paid !== inner) kept = paid === undefined ? without(kept, field) : { ...kept, [field]: paid };
      continue;
    }
    const left = withoutChoices(inner, `${path}.${field}`, leaving, depth + 1);
    if (left !== inner) kept = { ...kept, [field]: left };
  }
  return kept;
}

/** Returns the name at the vendor of a model that is paid for by its own price. */
function paidModel(tool: JsonObject, path: string, { imageToolModel }: Leaving): string | undefined {
  return path === 'tools.model' && tool['type'] === 'image_generation' ? imageToolModel : undefined;
}

function isModelTool(item: unknown, path: string, dropped: string[]): boolean {
  const type = isObject(item) ? textOf(item['type']) : undefined;
  if (path !== 'tools' || type === undefined || !modelTool.test(type)) return false;
  dropped.push(`${path}.${type}`);
  return true;
}
