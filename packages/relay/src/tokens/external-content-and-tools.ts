/** Detection of requests for which a vendor reads, or bills, more than the gateway can count. */
import {
  cacheByBody,
  isObject,
  type JsonObject,
  listOf,
  numberOf,
  objectOf,
  objectsIn,
  textOf,
  textsIn,
} from '../json/json.ts';

/** Fields of a body that refer to contents at the vendor. */
const storedFields = [
  'previous_response_id',
  'conversation',
  'container',
  'cachedContent',
  'cached_content',
  // https://www.volcengine.com/docs/82379/1346560
  'context_id',
  'file_ids',
];
/** Fields of a body that enable a search, or tools of the vendor or of another server. */
const toolFields = ['mcp_servers', 'web_search_options', 'search_parameters', 'plugins', 'data_sources'];
/**
 * Switches of searches whose number the vendor may not report: Alibaba Cloud, Tencent Hunyuan, Baichuan, and Venice in
 * its own parameters. https://help.aliyun.com/zh/model-studio/web-search,
 * https://cloud.tencent.com/document/product/1729/111007, https://docs.venice.ai/api-reference/api-spec
 */
const searchSwitches = [
  'enable_search',
  'enable_enhancement',
  'force_search_enhancement',
  'with_search_enhance',
  'enable_web_search',
];
/** Values of a switch that is off, besides those of a missing field. */
const offValues: ReadonlySet<unknown> = new Set(['off', 'false', 0]);
/** Fields, at any depth, whose text is a URL, a file name or a file; several of them in a list. */
const addresses: ReadonlySet<string> = new Set([
  'file_data',
  'url',
  'uri',
  'image_url',
  'file_url',
  'video_url',
  'audio_url',
  'document_url',
  'input_audio',
  'audio',
  'image',
  'pdf',
  'video',
  'file_id',
  'fileUri',
  'file_uri',
  'document_id',
]);
/** Fields by which a part names the type of its `data`. */
const typeFields = ['mimeType', 'mime_type', 'media_type', 'format'];
/** Media types whose tokens can be counted: images by size, texts by words. */
const countedTypes = /^(image|text)\//;
/** Types of client tools, which read nothing themselves. */
const clientTools: ReadonlySet<unknown> = new Set([undefined, 'function', 'custom']);
const declarations: ReadonlySet<string> = new Set(['functionDeclarations', 'function_declarations']);
/**
 * Fields, in lower case and without underscores, that make a tool one of Google's, whatever else it has: the gateway
 * and LiteLLM send them without the rest.
 */
const googleTools =
  /^(?:google(?:search(?:retrieval)?|maps)|codeexecution|urlcontext|filesearch|mcpservers|retrieval|enterprisewebsearch|\w+aisearch)$/;
/** Fields of an item or a part with its content. Without any of them, its id refers to content at the vendor. */
const contentFields = [
  'content',
  'text',
  'parts',
  'name',
  'function',
  'tool_calls',
  'input',
  'arguments',
  'action',
  'operation',
  'output',
  'outputs',
  'result',
  'results',
  'encrypted_content',
  'tools',
  'approve',
  'data',
];
/** Types of items to whose id a vendor adds what its tool has found, beside the content that the item has. */
const foundItems: ReadonlySet<unknown> = new Set(['web_search_call', 'file_search_call', 'code_interpreter_call']);
/**
 * Text in place of which Alibaba Cloud's Qwen-Long reads a file.
 * https://help.aliyun.com/zh/model-studio/long-context-qwen-long
 */
const storedText = /fileid:\/\//;
/** Role of a message in place of which Moonshot reads a cached prompt. https://platform.moonshot.cn/docs/api/caching */
const CACHE_ROLE = 'cache';
/**
 * Starts of the types of other tools that cost nothing but their tokens: the client runs them, or they search the
 * declared tools. A shell may run at the vendor.
 */
const freeTools = /^(namespace|local_shell|apply_patch|computer|bash_|text_editor_|memory_|tool_search)/;
const freeGeminiTools: ReadonlySet<string> = new Set([...declarations, 'computerUse', 'computer_use']);
const vendorShells = /^container_/;
const DEPTH_MAX = 40;

/**
 * Returns whether the body refers to files, URLs, stored conversations or vendor tools, or contains documents, audio
 * or video. The gateway cannot count their tokens: the bytes of a page or second vary.
 */
export const readsExternalContent = cacheByBody((body) => {
  // Evaluated first, so that it is cached as well whenever this is.
  const usesTools = usesVendorTools(body);
  const isStored = listBodies(body).some((one) => storedFields.some((name) => isReference(one[name])));
  return isStored || usesTools || listTools(body).some(isVendorTool) || hasStoredItem(body) || hasAddress(body, 0);
});

/**
 * Returns whether the body enables tools that run at the vendor, such as a search. They are billed by the call, and
 * their results are added to the prompt. A stored prompt may declare some.
 */
export const usesVendorTools = cacheByBody((body) => {
  const isNamed = listBodies(body).some((one) => toolFields.some((name) => isReference(one[name])));
  const isDeclared = listTools(body).some((tool) => isVendorTool(tool) && !isFreeTool(tool));
  return isNamed || isDeclared || turnsOnSearch(body) || isObject(body['prompt']);
});

/**
 * Returns whether the body turns on a search by a switch instead of a tool. Baidu's is off unless it is enabled.
 * https://cloud.baidu.com/doc/qianfan-docs/s/Wm8r4sw29
 */
function turnsOnSearch(body: JsonObject): boolean {
  return listBodies(body).some((one) => {
    const { web_search: search, venice_parameters: venice } = one;
    const switches = [...searchSwitches.map((name) => one[name]), objectOf(venice)['enable_web_search']];
    return [...switches, isObject(search) ? search['enable'] : search].some(isSwitchedOn);
  });
}

function isSwitchedOn(value: unknown): boolean {
  return isReference(value) && !offValues.has(value);
}

/**
 * Returns the body, and those that upstreams merge into it: LiteLLM `extra_body`, and Google `google` in there.
 * https://ai.google.dev/gemini-api/docs/openai#extra-body
 */
function listBodies(body: JsonObject): JsonObject[] {
  const bodies = [body];
  for (let merged = body['extra_body']; isObject(merged); merged = merged['extra_body'])
    bodies.push(merged, objectOf(merged['google']));
  return bodies;
}

/** Returns the tools of a body or an item. Google accepts one tool instead of a list. */
export function readTools({ tools }: JsonObject): JsonObject[] {
  return (Array.isArray(tools) ? tools : [tools]).filter(isObject);
}

/** Returns all tools that a body declares: also those of bodies that are merged into it, of items and of namespaces. */
function listTools(body: JsonObject): JsonObject[] {
  const declared = [...listBodies(body), ...objectsIn(body['input'])].flatMap(readTools);
  return [...declared, ...declared.flatMap(readTools)];
}

/** Returns whether an item, a message or a part of it has an id instead of its content. */
function hasStoredItem({ input, messages, contents }: JsonObject): boolean {
  return [input, messages, contents].flatMap(listOf).some((value) => {
    const item = objectOf(value);
    const parts = [item['content'], item['parts']].flatMap(listOf);
    const isStored = item['role'] === CACHE_ROLE || [item, item['audio'], ...parts].some(isStoredItem);
    return isStored || [item['content'], ...parts].some(isStoredText);
  });
}

function isStoredItem(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { type, id, encrypted_content: encrypted } = value;
  if (type === 'item_reference') return true;
  if (textOf(id) === undefined) return false;
  // A client sees only a summary of reasoning that is not encrypted for it.
  if (foundItems.has(type) || (type === 'reasoning' && textOf(encrypted) === undefined)) return true;
  return !contentFields.some((name) => hasContent(value[name]));
}

function hasContent(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value != null && value !== '';
}

function isStoredText(value: unknown): boolean {
  const text = isObject(value) ? value['text'] : value;
  return typeof text === 'string' && storedText.test(text);
}

/**
 * Returns whether a request for embeddings or a ranking has an item other than text. Vendors count thousands of tokens
 * for an image (https://api.jina.ai/docs).
 */
export function hasMediaItems({ input, documents }: JsonObject): boolean {
  return [input, documents].some((items) => Array.isArray(items) && items.some(isMediaItem));
}

function isMediaItem(item: unknown): boolean {
  if (Array.isArray(item)) return item.some(isMediaItem);
  if (!isObject(item)) return false;
  const { type = 'text', text, ...others } = item;
  return type !== 'text' || typeof text !== 'string' || Object.keys(others).length > 0;
}

/** Returns whether the body requests audio or images, whose tokens have other prices than text. */
export function requestsMedia(body: JsonObject): boolean {
  return readOutputModalities(body).some((modality) => modality === 'audio' || modality === 'image');
}

/** Returns the requested kinds of output in lower case; empty if the body leaves them to the model. */
export function readOutputModalities(body: JsonObject): string[] {
  const modalities = listBodies(body).flatMap((one) => {
    const config = objectOf(one['generationConfig'] ?? one['generation_config']);
    // Google accepts one instead of a list.
    return [one['modalities'], config['responseModalities'] ?? config['response_modalities']].flat();
  });
  return textsIn(modalities).map((modality) => modality.toLowerCase());
}

/** Plausible calls of vendor tools, for a request that allows more. */
const TOOL_CALLS_MAX = 25;
/**
 * Models that search in every response: OpenAI's search models, Perplexity's Sonar, and OpenRouter's suffix `:online`.
 * https://platform.openai.com/docs/guides/tools-web-search, https://docs.perplexity.ai/docs/sonar/models,
 * https://openrouter.ai/docs/guides/features/plugins/web-search
 */
const searchingModels = /(?:^|[/.])sonar|-search-(?:preview|api)|:online$/i;
/** Options of a channel that add the vendor's tools to each chat. */
const toolOptions = ['webSearch', 'codeExecution', 'codeInterpreter'];

/**
 * Returns the calls of vendor tools to hold: as many as the body allows (OpenAI's `max_tool_calls`, Anthropic's
 * `max_uses`), else 1; 0 if neither the body, the channel nor the model runs such a tool.
 */
export function estimateToolCalls(
  body: JsonObject,
  { options, model }: { options: Readonly<Record<string, string>>; model: string },
): number {
  if (usesVendorTools(body)) {
    const allowed = [...listBodies(body), ...listTools(body)].map(
      (holder) => numberOf(holder['max_tool_calls'] ?? holder['max_uses']) ?? 1,
    );
    return Math.min(Math.max(1, Math.ceil(Math.max(...allowed))), TOOL_CALLS_MAX);
  }
  const isAdded = toolOptions.some((name) => !['', 'off'].includes(options[name] ?? ''));
  return isAdded || searchingModels.test(model) ? 1 : 0;
}

function isReference(value: unknown): boolean {
  return value != null && value !== false && value !== '';
}

function isVendorTool(tool: JsonObject): boolean {
  if (hasGoogleTool(tool)) return true;
  if (isGeminiTool(tool)) return Object.keys(tool).some((name) => !declarations.has(name));
  return !clientTools.has(tool['type']);
}

function isFreeTool(tool: JsonObject): boolean {
  if (hasGoogleTool(tool)) return false;
  if (isGeminiTool(tool)) return Object.keys(tool).every((name) => freeGeminiTools.has(name));
  const type = textOf(tool['type']) ?? '';
  if (type === 'shell') return !vendorShells.test(textOf(objectOf(tool['environment'])['type']) ?? '');
  return freeTools.test(type);
}

function hasGoogleTool(tool: JsonObject): boolean {
  return Object.keys(tool).some((name) => googleTools.test(name.toLowerCase().replaceAll('_', '')));
}

function isGeminiTool(tool: JsonObject): boolean {
  return tool['type'] === undefined && tool['name'] === undefined;
}

function hasAddress(value: unknown, depth: number): boolean {
  if (depth > DEPTH_MAX) return true;
  if (Array.isArray(value)) return value.some((item) => hasAddress(item, depth + 1));
  if (!isObject(value)) return false;
  if (isMedia(value)) return true;
  return Object.entries(value).some(
    ([name, item]) => (addresses.has(name) && isAddress(item)) || hasAddress(item, depth + 1),
  );
}

function isAddress(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isAddress);
  if (typeof value !== 'string' || value === '') return false;
  return !value.startsWith('data:') || !countedTypes.test(value.slice('data:'.length));
}

function isMedia(part: JsonObject): boolean {
  if (typeof part['data'] !== 'string') return false;
  return typeFields.some((name) => {
    const type = part[name];
    return typeof type === 'string' && !countedTypes.test(type);
  });
}
