import { isObject, type JsonObject, textOf } from '../json/json.ts';
import { InvalidRequest } from '../model/invalid-request.ts';

/**
 * Fields by which a client chooses what its answer costs at the vendor, each with the values that leave the list
 * price. Prices here know a model and what it consumed, so that anything else would be the operator's loss.
 * Sources: the request references of OpenAI and Gemini (`service_tier`: priority is dearer, flex cheaper), Anthropic (`speed`:
 * fast is six times the price), OpenRouter (`models`, `preset` and `route` name other models, `provider` who runs them, `plugins`
 * are billed by the call), Anthropic and OpenRouter (`fallbacks` names models that stand in), xAI (`search_parameters`, by
 * source) and OpenAI's pictures (`svg` names another model). LiteLLM sends `extra_headers`, which may name a price class, to the
 * vendor. With `background` (OpenAI) and `deferred` (xAI) the answer, and what it consumed, would be fetched later, by a call
 * that is not relayed: the server makes such responses itself, by a request without it.
 */
const listPriceValues: Readonly<Record<string, readonly unknown[]>> = {
  service_tier: ['auto', 'default', 'standard_only', 'standard', 'unspecified'],
  serviceTier: ['standard', 'unspecified'],
  speed: ['standard'],
  models: [],
  fallbacks: [],
  fallback_models: [],
  preset: [],
  route: [],
  provider: [],
  plugins: [],
  search_parameters: [],
  extra_headers: [],
  background: [false],
  deferred: [false],
  svg: [],
};

/** Fields of this name are merged into the body by some upstreams (LiteLLM), so that they are read as the body is. */
const MERGED_FIELD = 'extra_body';

/** Region in which the vendor may compute the response (Anthropic); a region costs a tenth more. */
const REGION_FIELD = 'inference_geo';

export const unpricedFields: readonly string[] = [...Object.keys(listPriceValues), REGION_FIELD];

/**
 * A region is not left out as the others are: a client that asks for one may not be served elsewhere.
 * @throws InvalidRequest
 */
export function refuseRegion(body: JsonObject): void {
  if ((body[REGION_FIELD] ?? 'global') === 'global') return;
  throw new InvalidRequest(`${REGION_FIELD} is not supported by this gateway.`, REGION_FIELD);
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
  'documents',
  'input_examples',
  'chat_template_kwargs',
]);

/**
 * Names, in small letters and without underscores, of fields that choose a model or a price class wherever they stand. Some
 * upstreams are written in Go and don't tell letter cases apart. Vertex AI routes by `routingConfig` and
 * `modelSelectionConfig`, and ranks by the model in `modelName`; LiteLLM has several lists of fallbacks.
 */
const choosingName =
  /(?:model|models|modelname|modelid|modellist|fallbacks?)$|^(?:servicetier|speed|preset|routingconfig|modelconfig|modelselectionconfig)$/;

/** Returns whether a field of the whole body names the request's own model, which is checked; Kling calls it `model_name`. */
function isOwnModel(field: string, body: JsonObject): boolean {
  return field === 'model' || (field === 'model_name' && body['model'] == null);
}

/**
 * Tools that run a model of their own, whose tokens no report names: https://docs.claude.com/en/docs/agents-and-tools/tool-use
 * and https://openrouter.ai/docs/guides/features/server-tools.
 */
const modelTool = /^(?:\w+:)?(?:advisor|subagent|fusion)|^\w+:image_generation/;
const IMAGE_TOOL = 'image_generation';

/** Deeper than this no vendor has an option. */
const OPTION_DEPTH_MAX = 16;

/** Payment of a request's image tool. */
export interface PaidImageTool {
  /** Name at the vendor that replaces the tool's model; undefined where that model is left out. */
  model: string | undefined;
}

/**
 * The same object when there is none; the names of what is left out are pushed to `dropped`.
 * @param imageTool absent where the images of such a tool would not be charged, so that it is left out
 */
export function removeUnpricedFields(body: JsonObject, dropped: string[], imageTool?: PaidImageTool): JsonObject {
  return removeFromObject(body, '', { dropped, imageTool });
}

interface RemovalContext {
  dropped: string[];
  imageTool: PaidImageTool | undefined;
}

/** @param prefix of the names that are pushed */
function removeFromObject(body: JsonObject, prefix: string, leaving: RemovalContext): JsonObject {
  let priced = body;
  for (const [field, value] of Object.entries(body)) {
    const path = `${prefix}${field}`;
    if (prefix === '' && isOwnModel(field, body)) continue;
    const kept = isUnpriced(field, value) ? undefined : removeInnerChoices(field, value, path, leaving);
    if (kept === value) continue;
    if (kept === undefined) leaving.dropped.push(path);
    priced = kept === undefined ? without(priced, field) : { ...priced, [field]: kept };
  }
  return priced;
}

function isUnpriced(field: string, value: unknown): boolean {
  if (value == null) return false;
  if (Object.hasOwn(listPriceValues, field))
    return listPriceValues[field]?.includes(value) !== true && !isPace(field, value);
  return !contentFields.has(field) && isChoice(field, value);
}

/** Returns true for a voice's speed, which is a number; a price class of the same name is a word. */
function isPace(field: string, value: unknown): boolean {
  return field === 'speed' && typeof value === 'number';
}

function isChoice(field: string, value: unknown): boolean {
  return choosingName.test(field.toLowerCase().replaceAll(/[_-]/g, '')) && !isPace(field, value);
}

function removeInnerChoices(field: string, value: unknown, path: string, leaving: RemovalContext): unknown {
  if (field === MERGED_FIELD && isObject(value)) return removeFromObject(value, `${path}.`, leaving);
  if (field === 'input') return removeItemChoices(value, leaving);
  return contentFields.has(field) ? value : removeChoices(value, path, leaving, 1);
}

/** Items of Responses may add tools (`additional_tools`, `tool_search_output`), which count as those of the request. */
function removeItemChoices(input: unknown, leaving: RemovalContext): unknown {
  if (!Array.isArray(input)) return input;
  const kept: unknown[] = input.map((item) => {
    if (!isObject(item) || !Array.isArray(item['tools'])) return item;
    const tools = removeChoices(item['tools'], 'tools', leaving, 1);
    return tools === item['tools'] ? item : { ...item, tools };
  });
  return kept.every((item, nth) => item === input[nth]) ? input : kept;
}

function without(object: JsonObject, field: string): JsonObject {
  const { [field]: _left, ...others } = object;
  return others;
}

/** The same value when nothing in it chooses a model or a price class. @param path by which a field is named */
function removeChoices(value: unknown, path: string, leaving: RemovalContext, depth: number): unknown {
  if (depth > OPTION_DEPTH_MAX) return value;
  if (Array.isArray(value)) {
    const kept: unknown[] = value
      .filter((item) => !isModelTool(item, path, leaving))
      .map((item) => removeChoices(item, path, leaving, depth + 1));
    const isSame = kept.length === value.length && kept.every((item, nth) => item === value[nth]);
    return isSame ? value : kept;
  }
  if (!isObject(value)) return value;
  let kept = value;
  for (const [field, inner] of Object.entries(value)) {
    if (isContent(field, value, path)) continue;
    const isChosen = inner != null && (isChoice(field, inner) || isRouting(field, path));
    const left = isChosen
      ? paidModel(value, `${path}.${field}`, leaving)
      : removeChoices(inner, `${path}.${field}`, leaving, depth + 1);
    if (left === inner) continue;
    if (left === undefined) leaving.dropped.push(`${path}.${field}`);
    kept = left === undefined ? without(kept, field) : { ...kept, [field]: left };
  }
  return kept;
}

/** Tools whose `parameters` are a schema; those of a tool that the vendor runs are its options. */
const clientTools: ReadonlySet<string> = new Set(['function', 'tool_search']);

function isContent(field: string, object: JsonObject, path: string): boolean {
  if (!contentFields.has(field)) return false;
  const type = textOf(object['type']);
  const isVendorTool = path.endsWith('tools') && type !== undefined && !clientTools.has(type);
  return !(field === 'parameters' && isVendorTool);
}

/** Vercel's gateway takes the vendors that may serve a request. https://vercel.com/docs/ai-gateway/provider-options */
function isRouting(field: string, path: string): boolean {
  return path.endsWith('providerOptions') && field === 'gateway';
}

/** Returns the name at the vendor of a model that is paid for by its own price. */
function paidModel(tool: JsonObject, path: string, { imageTool }: RemovalContext): string | undefined {
  return path === 'tools.model' && tool['type'] === IMAGE_TOOL ? imageTool?.model : undefined;
}

function isModelTool(item: unknown, path: string, { dropped, imageTool }: RemovalContext): boolean {
  const type = isObject(item) ? textOf(item['type']) : undefined;
  if (!path.endsWith('tools') || type === undefined) return false;
  if (!modelTool.test(type) && (type !== IMAGE_TOOL || imageTool !== undefined)) return false;
  dropped.push(`${path}.${type}`);
  return true;
}
