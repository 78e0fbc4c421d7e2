/** Whether a vendor reads more for a request than the request holds. */
import { isObject, type JsonObject, listOf, objectOf } from '../json/json.ts';

/** Fields of a body that name something at the vendor, or let it search. */
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
/** Fields, at any depth, whose text is an address or the name of a file. */
const addresses: ReadonlySet<string> = new Set([
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
/** Tools of the client, which read nothing by themselves. */
const clientTools: ReadonlySet<unknown> = new Set([undefined, 'function', 'custom']);
const declarations: ReadonlySet<string> = new Set(['functionDeclarations', 'function_declarations']);
const DEPTH_MAX = 40;

/**
 * Returns whether the body names files, addresses, stored conversations or tools of the vendor, whose tokens the gateway
 * cannot count.
 */
export function readsMore(body: JsonObject): boolean {
  const isNamed = fields.some((name) => isReference(body[name]));
  return (
    isNamed || isObject(body['prompt']) || listOf(body['tools']).some(isVendorTool) || namesAddress(body, 0)
  );
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

function namesAddress(value: unknown, depth: number): boolean {
  if (depth > DEPTH_MAX) return true;
  if (Array.isArray(value)) return value.some((item) => namesAddress(item, depth + 1));
  if (!isObject(value)) return false;
  return Object.entries(value).some(
    ([name, item]) => (addresses.has(name) && isAddress(item)) || namesAddress(item, depth + 1),
  );
}

function isAddress(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && !value.startsWith('data:');
}
