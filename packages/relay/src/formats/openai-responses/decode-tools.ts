import type { Conversation, Tool, ToolChoice, VendorTool } from '../../conversation.ts';
import { InvalidRequest } from '../../invalid-request.ts';
import { booleanOf, isObject, type JsonObject, listOf, objectOf, textOf, textsIn } from '../../json.ts';
import { readLocation } from '../../user-location.ts';
import { customTool } from '../openai-custom-tools.ts';
import { decodeLevel } from '../openai-request-fields.ts';

type Tools = Pick<Conversation, 'tools' | 'vendorTools'>;

export function decodeTools(declared: readonly unknown[], unsupported: string[]): Tools {
  const decoded: Tools = { tools: [], vendorTools: [] };
  for (const value of declared) {
    const tool = objectOf(value);
    const type = textOf(tool['type']) ?? 'unknown';
    if (type === 'function') decoded.tools.push(decodeFunction(tool));
    else if (type === 'custom') decoded.tools.push(decodeCustomTool(tool, unsupported));
    else if (webSearchType.test(type)) decoded.vendorTools.push(decodeWebSearch(tool));
    else if (type === 'code_interpreter') decoded.vendorTools.push({ type: 'code-execution' });
    else unsupported.push(`tools.${type}`);
  }
  return decoded;
}

const webSearchType = /^web_search(_preview)?(_\d{4}_\d\d_\d\d)?$/;

function decodeFunction(tool: JsonObject): Tool {
  const parameters = tool['parameters'] ?? undefined;
  return {
    ...readName(tool),
    parameters,
    strict: booleanOf(tool['strict']) ?? (isClosed(parameters) || undefined),
  };
}

/**
 * Functions are strict here unless told otherwise, where their schema allows it; in the other dialects a schema that
 * does not is refused.
 */
function isClosed(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const properties = Object.entries(objectOf(schema['properties']));
  const required = new Set(listOf(schema['required']));
  const isObjectSchema = schema['type'] === 'object' && schema['additionalProperties'] === false;
  return (
    isObjectSchema && properties.every(([name, property]) => required.has(name) && isClosedWithin(property))
  );
}

function isClosedWithin(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const isPlain = ['string', 'number', 'integer', 'boolean'].includes(String(schema['type']));
  if (schema['type'] === 'array') return isClosedWithin(schema['items']);
  return isPlain || isClosed(schema);
}

function decodeCustomTool(tool: JsonObject, unsupported: string[]): Tool {
  const format = objectOf(tool['format']);
  if (format['type'] !== 'grammar') return customTool(readName(tool));
  unsupported.push('tools.custom.format');
  const syntax = textOf(format['syntax']) ?? '';
  const definition = textOf(format['definition']) ?? '';
  return customTool(readName(tool), `Must match this ${syntax} grammar:\n${definition}`);
}

/** @throws InvalidRequest */
function readName(tool: JsonObject): Pick<Tool, 'name' | 'description'> {
  const name = textOf(tool['name']);
  if (name === undefined) throw new InvalidRequest('Each tool needs a name.', 'tools');
  return { name, description: textOf(tool['description']) };
}

function decodeWebSearch(tool: JsonObject): VendorTool {
  const domains = textsIn(objectOf(tool['filters'])['allowed_domains']);
  return {
    type: 'web-search',
    contextSize: decodeLevel(tool['search_context_size']),
    allowedDomains: domains.length > 0 ? domains : undefined,
    userLocation: readLocation(tool['user_location']),
  };
}

export function decodeToolChoice(choice: unknown, unsupported: string[]): ToolChoice | undefined {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { type: choice };
  if (!isObject(choice)) return undefined;
  if (choice['type'] === 'allowed_tools')
    return { type: choice['mode'] === 'required' ? 'required' : 'auto' };
  const name = textOf(choice['name']);
  const isNamed = choice['type'] === 'function' || choice['type'] === 'custom';
  if (isNamed && name !== undefined) return { type: 'tool', name };
  unsupported.push('tool_choice');
  return undefined;
}

/** A dialect without "only these tools" gets only these tools. */
export function allowedTools(declared: Tools, choice: unknown): Tools {
  if (!isObject(choice) || choice['type'] !== 'allowed_tools') return declared;
  const allowed = listOf(choice['tools']).map(objectOf);
  const names = new Set(allowed.map((tool) => tool['name']));
  const hosted = allowed.filter((tool) => tool['type'] !== 'function' && tool['type'] !== 'custom');
  const types = new Set(decodeTools(hosted, []).vendorTools.map((tool) => tool.type));
  return {
    tools: declared.tools.filter((tool) => names.has(tool.name)),
    vendorTools: declared.vendorTools.filter((tool) => types.has(tool.type)),
  };
}
