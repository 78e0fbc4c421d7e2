/** Detection of requests for which a vendor reads, or bills, more than the gateway can count. */
import { cacheByBody, isObject, type JsonObject, listOf, numberOf, objectOf, textOf, textsIn } from '../json/json.ts';

/** Fields of a body that refer to contents at the vendor. */
const storedFields = [
  'previous_response_id',
  'conversation',
  'container',
  'cachedContent',
  'cached_content',
  'file_ids',
];
/** Fields of a body that enable a search, or tools of the vendor or of another server. */
const toolFields = [
  'mcp_servers',
  'web_search_options',
  'search_parameters',
  'enable_search',
  'plugins',
  'data_sources',
];
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
  const isStored = storedFields.some((name) => isReference(body[name]));
  return isStored || usesTools || listOf(body['tools']).some(isVendorTool) || hasAddress(body, 0);
});

/**
 * Returns whether the body enables tools that run at the vendor, such as a search. They are billed by the call, and
 * their results are added to the prompt. A stored prompt may declare some.
 */
export const usesVendorTools = cacheByBody((body) => {
  const isNamed = toolFields.some((name) => isReference(body[name])) || isObject(body['prompt']);
  const declaring = [body, ...listOf(body['input']).map(objectOf)];
  return (
    isNamed || declaring.some(({ tools }) => listOf(tools).some((tool) => isVendorTool(tool) && !isFreeTool(tool)))
  );
});

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
  const config = objectOf(body['generationConfig'] ?? body['generation_config']);
  const modalities = [body['modalities'], config['responseModalities'] ?? config['response_modalities']];
  return modalities.flatMap(textsIn).map((modality) => modality.toLowerCase());
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
    const allowed = [body, ...listOf(body['tools']).map(objectOf)].map(
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

function isVendorTool(value: unknown): boolean {
  const tool = objectOf(value);
  if (isGeminiTool(tool)) return Object.keys(tool).some((name) => !declarations.has(name));
  return !clientTools.has(tool['type']);
}

function isFreeTool(value: unknown): boolean {
  const tool = objectOf(value);
  if (isGeminiTool(tool)) return Object.keys(tool).every((name) => freeGeminiTools.has(name));
  const type = textOf(tool['type']) ?? '';
  if (type === 'shell') return !vendorShells.test(textOf(objectOf(tool['environment'])['type']) ?? '');
  return freeTools.test(type);
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
