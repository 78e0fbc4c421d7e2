import {
  booleanOf,
  type JsonObject,
  listOf,
  numberOf,
  objectOf,
  textOf,
  textsIn,
} from '../../../../json/json.ts';
import { readCacheMark } from '../../../../model/cache-mark.ts';
import type { Tool, ToolChoice, VendorTool } from '../../../../model/conversation.ts';
import { InvalidRequest } from '../../../../model/invalid-request.ts';
import { readLocation } from '../../../../model/user-location.ts';

interface DecodedTools {
  tools: Tool[];
  vendorTools: VendorTool[];
}

/** Tools with a type of their own run at the vendor, or are its model's habits (a text editor, a screen). */
export function decodeTools(value: unknown, unsupported: string[]): DecodedTools {
  const decoded: DecodedTools = { tools: [], vendorTools: [] };
  for (const tool of listOf(value).map(objectOf)) {
    const type = textOf(tool['type']) ?? 'custom';
    const vendorTool = decodeVendorTool(type, tool, unsupported);
    if (type === 'custom') decoded.tools.push(decodeTool(tool, unsupported));
    else if (vendorTool !== undefined) decoded.vendorTools.push(vendorTool);
    else unsupported.push(`tools.${type}`);
  }
  return decoded;
}

function decodeTool(tool: JsonObject, unsupported: string[]): Tool {
  const name = textOf(tool['name']);
  if (name === undefined) throw new InvalidRequest('Each tool needs a name.', 'tools');
  collectOptions(tool, 'custom', ['description', 'input_schema', 'strict'], unsupported);
  return {
    name,
    description: textOf(tool['description']),
    parameters: tool['input_schema'],
    strict: booleanOf(tool['strict']),
    cache: readCacheMark(tool),
  };
}

/** Decodes a vendor tool by its name without the version, which is a date. */
function decodeVendorTool(type: string, tool: JsonObject, unsupported: string[]): VendorTool | undefined {
  const maxUses = numberOf(tool['max_uses']);
  switch (type.replace(/_\d+$/, '')) {
    case 'web_search':
      collectOptions(
        tool,
        'web_search',
        ['allowed_domains', 'blocked_domains', 'user_location'],
        unsupported,
      );
      return {
        type: 'web-search',
        maxUses,
        allowedDomains: decodeDomains(tool['allowed_domains']),
        blockedDomains: decodeDomains(tool['blocked_domains']),
        userLocation: readLocation(tool['user_location']),
      };
    case 'web_fetch':
      collectOptions(tool, 'web_fetch', [], unsupported);
      return { type: 'url-fetch', maxUses };
    case 'code_execution':
      collectOptions(tool, 'code_execution', [], unsupported);
      return { type: 'code-execution' };
    default:
      return undefined;
  }
}

const plainOptions = new Set(['type', 'name', 'max_uses', 'cache_control']);

/** An option that is off says nothing. */
function collectOptions(tool: JsonObject, name: string, covered: string[], unsupported: string[]): void {
  for (const option of Object.keys(tool))
    if (
      tool[option] != null &&
      tool[option] !== false &&
      !plainOptions.has(option) &&
      !covered.includes(option)
    )
      unsupported.push(`tools.${name}.${option}`);
}

function decodeDomains(value: unknown): string[] | undefined {
  const domains = textsIn(value);
  return domains.length > 0 ? domains : undefined;
}

export function decodeToolChoice(choice: JsonObject): ToolChoice | undefined {
  const name = textOf(choice['name']);
  switch (choice['type']) {
    case 'auto':
    case 'none':
      return { type: choice['type'] };
    case 'any':
      return { type: 'required' };
    case 'tool':
      return name === undefined ? undefined : { type: 'tool', name };
    default:
      return undefined;
  }
}
