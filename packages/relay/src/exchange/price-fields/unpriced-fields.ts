import { cacheByName } from '../../cache-by-name.ts';
import { isObject, type JsonObject, listOf, parseNumber, textOf } from '../../json/json.ts';
import { InvalidRequestError } from '../../model/invalid-request-error.ts';

/**
 * Fields by which a client chooses the vendor's price, each with the values that keep the list price. The price list
 * only knows models and their usage, so that other values would be the operator's loss.
 * Sources: the request references of OpenAI and Gemini (`service_tier`: priority costs more, flex less), Anthropic
 * (`speed`: fast costs six times as much), OpenRouter (`models`, `preset` and `route` choose other models, `provider`
 * the host, `plugins` are billed per call), Anthropic and OpenRouter (`fallbacks` chooses other models), xAI
 * (`search_parameters`, billed by source) and OpenAI's images (`svg` chooses another model). LiteLLM sends
 * `extra_headers`, `headers` and `provider_specific_header` to the vendor as headers, which may choose a price class
 * (Vertex AI's `X-Vertex-AI-LLM-Shared-Request-Type`). With `background` (OpenAI) and `deferred` (xAI) the response
 * and its usage would be fetched later by a request that is not relayed; the server produces background responses
 * itself, with a request without the field.
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
  headers: [],
  provider_specific_header: [],
  background: [false],
  deferred: [false],
  svg: [],
};

/**
 * Options of vendor tools that choose the tool's price, at any depth, in lower case and without underscores, each with
 * the values that keep the list price. OpenAI charges a container of the code interpreter or the hosted shell by its
 * memory; 1 GB is the default.
 * https://developers.openai.com/api/docs/pricing, https://developers.openai.com/api/docs/guides/tools-shell
 */
const toolPriceValues: ReadonlyMap<string, readonly unknown[]> = new Map([['memorylimit', ['1g']]]);

/**
 * Options of search tools that choose the price of a search, in lower case and without underscores, each with a check
 * of the values that keep the list price, which are the defaults and less. OpenRouter bills Exa by the result, and
 * other engines and their modes at prices of their own; Zhipu's engines cost up to five times as much as the first.
 * https://openrouter.ai/docs/guides/features/server-tools/web-search, https://docs.bigmodel.cn/cn/guide/tools/web-search
 */
const searchPrices: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['engine', (engine: unknown) => engine === 'auto' || engine === 'native'],
  ['mode', () => false],
  ['maxresults', (count: unknown) => (parseNumber(count) ?? Infinity) <= 5],
  ['maxtotalresults', (count: unknown) => (parseNumber(count) ?? Infinity) <= 50],
  ['searchengine', (engine: unknown) => engine === 'search_std'],
]);
/** Search tools; a reseller's has its name before a colon. */
const searchTool = /^(?:\w+:)?web_search/;
/** Fields with the options of a search tool, of OpenRouter and Zhipu; the others are options themselves. */
const searchOptionFields: ReadonlySet<string> = new Set(['parameters', 'websearch']);
/** Field of a body with the options of its search. */
const SEARCH_FIELD = 'web_search_options';
/**
 * Options of a reseller's search tool that don't change the price. A reseller passes each search to one of several
 * vendors, so that any other option may choose a dearer one.
 */
const freeSearchOptions: ReadonlySet<string> = new Set([
  'alloweddomains',
  'excludeddomains',
  'maxcharacters',
  'maxuses',
  'searchcontextsize',
  'userlocation',
]);

/** Field that some upstreams (LiteLLM) merge into the body, so that it is checked like the body. */
const MERGED_FIELD = 'extra_body';

/**
 * Fields that, merged from there, would replace what the gateway has read from the body for the hold, or has set to
 * get the usage.
 */
const replacingFields: ReadonlySet<string> = new Set([
  'n',
  'best_of',
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'stream',
  'stream_options',
]);

/** Region in which the vendor may compute the response (Anthropic); a specific region costs ten per cent more. */
const REGION_FIELD = 'inference_geo';

export const unpricedFields: readonly string[] = [...Object.keys(listPriceValues), REGION_FIELD];

/**
 * Refuses a region, also in a body that upstreams merge into this one, instead of removing it: a client that requests
 * one must not be served elsewhere.
 * @throws InvalidRequestError
 */
export function refuseRegion(body: JsonObject): void {
  for (let merged: unknown = body; isObject(merged); merged = merged[MERGED_FIELD])
    if ((merged[REGION_FIELD] ?? 'global') !== 'global')
      throw new InvalidRequestError(`${REGION_FIELD} can only be "global" at this gateway. Omit it.`, REGION_FIELD);
}

/**
 * Members with the client's content, in which any word is allowed, and `requests` of Gemini's embeddings, whose model
 * is checked elsewhere.
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
 * Names, in lower case and without underscores, of fields that choose a model or a price class at any depth. Some
 * upstreams, written in Go, ignore case. Vertex AI routes by `routingConfig` and `modelSelectionConfig`, and reranks
 * with the model in `modelName`; LiteLLM has several lists of fallbacks.
 */
const choosingName =
  /(?:model|models|modelname|modelid|modellist|fallbacks?)$|^(?:servicetier|speed|preset|routingconfig|modelconfig|modelselectionconfig)$/;

/** Returns whether a top-level field names the request's own model, which is checked; Kling calls it `model_name`. */
function isOwnModel(field: string, body: JsonObject): boolean {
  return field === 'model' || (field === 'model_name' && body['model'] == null);
}

/**
 * Types of tools that run another model, whose tokens no report includes:
 * https://docs.claude.com/en/docs/agents-and-tools/tool-use and
 * https://openrouter.ai/docs/guides/features/server-tools.
 */
const modelTool = /^(?:\w+:)?(?:advisor|subagent|fusion)|^\w+:image_generation/;
const IMAGE_TOOL = 'image_generation';

/** Maximum depth of a vendor's options. */
const OPTION_DEPTH_MAX = 16;

/** Image tool whose images are charged. */
export interface PaidImageTool {
  /** Name at the vendor that replaces the tool's model; undefined removes the model. */
  model: string | undefined;
}

/**
 * Removes unpriced fields and pushes their names to `dropped`; returns the same object without any.
 * @param imageTool absent if the images of such a tool would not be charged, so that the tool is removed
 */
export function removeUnpricedFields(body: JsonObject, dropped: string[], imageTool?: PaidImageTool): JsonObject {
  return removeFromObject(body, '', { dropped, imageTool });
}

interface RemovalContext {
  dropped: string[];
  imageTool: PaidImageTool | undefined;
}

/** Maximum characters of a prefix, which is copied for each field. A report shows no more of a name. */
const PREFIX_MAX = 64;

/** @param prefix prefix of the reported names */
function removeFromObject(body: JsonObject, prefix: string, leaving: RemovalContext): JsonObject {
  return mapFields(body, prefix, leaving, (field, value, path) => {
    if (prefix === '' && isOwnModel(field, body)) return value;
    if (prefix !== '' && replacingFields.has(field)) return undefined;
    return isUnpriced(field, value) ? undefined : removeInnerChoices(field, value, path, leaving);
  });
}

/**
 * Returns the object with the results of `change`, without the fields for which it is undefined; the same object if
 * nothing changes. Copies it once: a copy for each of ten thousand removed fields would take seconds.
 * @param prefix prefix of the reported names
 */
function mapFields(
  object: JsonObject,
  prefix: string,
  { dropped }: RemovalContext,
  change: (field: string, value: unknown, path: string) => unknown,
): JsonObject {
  const kept: [string, unknown][] = [];
  let isChanged = false;
  const shortPrefix = prefix.slice(0, PREFIX_MAX);
  for (const [field, value] of Object.entries(object)) {
    const path = `${shortPrefix}${field}`;
    const changed = change(field, value, path);
    if (changed !== value) isChanged = true;
    if (changed === undefined && value !== undefined) dropped.push(path);
    else kept.push([field, changed]);
  }
  return isChanged ? Object.fromEntries(kept) : object;
}

function isUnpriced(field: string, value: unknown): boolean {
  if (value == null) return false;
  if (Object.hasOwn(listPriceValues, field))
    return listPriceValues[field]?.includes(value) !== true && !isPace(field, value);
  return !contentFields.has(field) && isChoice(field, value);
}

/** Returns whether `speed` is a voice's speed, a number, instead of a price class, a word. */
function isPace(field: string, value: unknown): boolean {
  return field === 'speed' && typeof value === 'number';
}

interface FieldChoice {
  /** True if the field chooses a model or a price class. */
  isChoosing: boolean;
  /** Values that keep a tool's list price; undefined for any other field. */
  listValues: readonly unknown[] | undefined;
}

const normalizeName = cacheByName((field) => field.toLowerCase().replaceAll(/[_-]/g, ''));

const findChoice = cacheByName((field): FieldChoice => {
  const name = normalizeName(field);
  return { isChoosing: choosingName.test(name), listValues: toolPriceValues.get(name) };
});

function isChoice(field: string, value: unknown): boolean {
  const { isChoosing, listValues } = findChoice(field);
  if (listValues?.includes(value) === false) return true;
  return isChoosing && !isPace(field, value);
}

function removeInnerChoices(field: string, value: unknown, path: string, leaving: RemovalContext): unknown {
  if (field === MERGED_FIELD && isObject(value)) return removeFromObject(value, `${path}.`, leaving);
  if (field === 'input') return removeItemChoices(value, leaving);
  if (contentFields.has(field)) return value;
  // Some upstreams accept one tool instead of a list.
  if (field === 'tools' && isObject(value)) return listOf(removeChoices([value], path, leaving, 1))[0];
  const isSearch = field === SEARCH_FIELD && isObject(value);
  return removeChoices(isSearch ? removeDearOptions(value, path, leaving, false) : value, path, leaving, 1);
}

/**
 * Removes choices from items of Responses that add tools (`additional_tools`, `tool_search_output`), which count as
 * tools of the request.
 */
function removeItemChoices(input: unknown, leaving: RemovalContext): unknown {
  if (!Array.isArray(input)) return input;
  const kept: unknown[] = input.map((item) => {
    if (!isObject(item) || !Array.isArray(item['tools'])) return item;
    const tools = removeChoices(item['tools'], 'tools', leaving, 1);
    return tools === item['tools'] ? item : { ...item, tools };
  });
  return kept.every((item, nth) => item === input[nth]) ? input : kept;
}

/**
 * Removes choices of models and price classes; returns the same value without any. @param path reported path of the
 * value
 */
function removeChoices(value: unknown, path: string, leaving: RemovalContext, depth: number): unknown {
  if (depth > OPTION_DEPTH_MAX) return value;
  if (Array.isArray(value)) {
    const kept: unknown[] = value
      .filter((item) => !isModelTool(item, path, leaving))
      .map((item) => removeChoices(removeSearchPrices(item, path, leaving), path, leaving, depth + 1));
    const isSame = kept.length === value.length && kept.every((item, nth) => item === value[nth]);
    return isSame ? value : kept;
  }
  if (!isObject(value)) return value;
  return mapFields(value, `${path}.`, leaving, (field, inner, innerPath) => {
    if (isContent(field, value, path)) return inner;
    const isChosen = inner != null && (isChoice(field, inner) || isRouting(field, path));
    return isChosen ? paidModel(value, innerPath, leaving) : removeChoices(inner, innerPath, leaving, depth + 1);
  });
}

/** Removes options of a search tool by which a client would choose the price of a search. */
function removeSearchPrices(tool: unknown, path: string, leaving: RemovalContext): unknown {
  const type = isObject(tool) ? textOf(tool['type']) : undefined;
  if (!isObject(tool) || type === undefined || !path.endsWith('tools') || !searchTool.test(type)) return tool;
  const options = removeDearOptions(tool, path, leaving, false);
  return mapFields(options, `${path}.`, leaving, (field, value, inner) => {
    const hasOptions = searchOptionFields.has(normalizeName(field)) && isObject(value);
    return hasOptions ? removeDearOptions(value, inner, leaving, type.includes(':')) : value;
  });
}

/** @param isListed true if only listed options are free */
function removeDearOptions(options: JsonObject, path: string, leaving: RemovalContext, isListed: boolean): JsonObject {
  return mapFields(options, `${path}.`, leaving, (name, value) =>
    isDearSearch(name, value, isListed) ? undefined : value,
  );
}

function isDearSearch(field: string, value: unknown, isListed: boolean): boolean {
  if (value == null) return false;
  const name = normalizeName(field);
  const isListPrice = searchPrices.get(name);
  return isListPrice === undefined ? isListed && !freeSearchOptions.has(name) : !isListPrice(value);
}

/** Types of tools whose `parameters` are a schema; those of a vendor tool are options. */
const clientTools: ReadonlySet<string> = new Set(['function', 'tool_search']);

function isContent(field: string, object: JsonObject, path: string): boolean {
  if (!contentFields.has(field)) return false;
  const type = textOf(object['type']);
  const isVendorTool = path.endsWith('tools') && type !== undefined && !clientTools.has(type);
  return !(field === 'parameters' && isVendorTool);
}

/**
 * Returns whether a field routes requests to vendors, as at Vercel's gateway.
 * https://vercel.com/docs/ai-gateway/provider-options
 */
function isRouting(field: string, path: string): boolean {
  return path.endsWith('providerOptions') && field === 'gateway';
}

/** Returns the vendor's name of a model that is billed at its own price. */
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
