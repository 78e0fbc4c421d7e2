/** Detection of requests for which a vendor reads more than the gateway can count. */
import { isObject, type JsonObject, listOf, objectOf } from '../json/json.ts';

/** Fields of a body that refer to contents at the vendor, or enable a search. */
const fields = [
  'previous_response_id',
  'conversation',
  'container',
  'cachedContent',
  'cached_content',
  'mcp_servers',
  'web_search_options',
  'search_parameters',
  'enable_search',
  'plugins',
  'data_sources',
  'file_ids',
];
/** Fields, at any depth, whose text is a URL, a file name or a file. */
const addresses: ReadonlySet<string> = new Set([
  'file_data',
  'url',
  'uri',
  'image_url',
  'file_url',
  'video_url',
  'audio_url',
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
const DEPTH_MAX = 40;

/**
 * Returns whether the body refers to files, URLs, stored conversations or vendor tools, or contains documents, audio
 * or video. The gateway cannot count their tokens: the bytes of a page or second vary.
 */
export function readsExternalContent(body: JsonObject): boolean {
  const isNamed = fields.some((name) => isReference(body[name]));
  return isNamed || isObject(body['prompt']) || listOf(body['tools']).some(isVendorTool) || hasAddress(body, 0);
}

function isReference(value: unknown): boolean {
  return value != null && value !== false && value !== '';
}

function isVendorTool(value: unknown): boolean {
  const tool = objectOf(value);
  const isGemini = tool['type'] === undefined && tool['name'] === undefined;
  if (isGemini) return Object.keys(tool).some((name) => !declarations.has(name));
  return !clientTools.has(tool['type']);
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
