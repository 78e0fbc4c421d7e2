import { booleanOf, isObject, type JsonObject, listOf, objectOf, textOf } from '../../../json/json.ts';
import { readCacheMark } from '../../../model/cache-mark.ts';
import type { Tool, ToolChoice, VendorTool } from '../../../model/conversation.ts';
import { InvalidRequest } from '../../../model/invalid-request.ts';
import { readLocation } from '../../../model/user-location.ts';
import { customTool } from '../openai-custom-tools.ts';
import { decodeLevel } from '../openai-request-fields.ts';

/** Declared as `tools`, or in the older way as `functions`; those that a choice does not allow are left out. */
export function decodeTools(body: JsonObject, unsupported: string[]): Tool[] {
  const tools = listOf(body['tools']).flatMap((tool) => decodeTool(objectOf(tool), unsupported));
  const functions = listOf(body['functions']).map(decodeFunction);
  return allowedTools([...tools, ...functions], body['tool_choice'] ?? body['function_call']);
}

function decodeTool(tool: JsonObject, unsupported: string[]): Tool[] {
  if (tool['type'] === 'function')
    return [{ ...decodeFunction(tool['function']), cache: readCacheMark(tool) }];
  if (tool['type'] === 'custom') return [decodeCustomTool(objectOf(tool['custom']), unsupported)];
  unsupported.push(`tools.${textOf(tool['type']) ?? 'unknown'}`);
  return [];
}

function decodeCustomTool(details: JsonObject, unsupported: string[]): Tool {
  return customTool(readName(details), objectOf(details['format']), unsupported);
}

function decodeFunction(value: unknown): Tool {
  const details = objectOf(value);
  return {
    ...readName(details),
    parameters: details['parameters'] ?? undefined,
    strict: booleanOf(details['strict']),
  };
}

/** @throws InvalidRequest */
function readName(details: JsonObject): Pick<Tool, 'name' | 'description'> {
  const name = textOf(details['name']);
  if (name === undefined) throw new InvalidRequest('Each tool needs a name.', 'tools');
  return { name, description: textOf(details['description']) };
}

export function decodeToolChoice(body: JsonObject): ToolChoice | undefined {
  const value = body['tool_choice'] ?? body['function_call'];
  if (value === 'auto' || value === 'none' || value === 'required') return { type: value };
  if (!isObject(value)) return undefined;
  if (value['type'] === 'allowed_tools') {
    return { type: objectOf(value['allowed_tools'])['mode'] === 'required' ? 'required' : 'auto' };
  }
  const name = nameIn(value) ?? textOf(value['name']);
  return name === undefined ? undefined : { type: 'tool', name };
}

/** A dialect without "only these tools" gets only these tools. */
function allowedTools(tools: Tool[], choice: unknown): Tool[] {
  if (!isObject(choice) || choice['type'] !== 'allowed_tools') return tools;
  const names = new Set(
    listOf(objectOf(choice['allowed_tools'])['tools']).map((tool) => nameIn(objectOf(tool))),
  );
  return tools.filter((tool) => names.has(tool.name));
}

function nameIn(tool: JsonObject): string | undefined {
  return textOf(objectOf(tool['function'] ?? tool['custom'])['name']);
}

export function decodeWebSearch(value: unknown): VendorTool[] {
  if (!isObject(value)) return [];
  const contextSize = decodeLevel(value['search_context_size']);
  const userLocation = readLocation(objectOf(value['user_location'])['approximate']);
  return [{ type: 'web-search', contextSize, userLocation }];
}
