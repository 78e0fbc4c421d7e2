/** Vendor tools that an operator adds to every chat of a channel. */
import { type JsonObject, listOf, objectOf } from '../json/json.ts';
import type { ProviderField } from '../model/provider.ts';

/** Creates an option that is off by default. */
export function createSwitchOption(name: string): ProviderField {
  return { name, required: false, choices: ['off', 'on'] };
}

/** Adds a vendor's tool to a Chat Completions body, unless the client wants no tools or has configured it itself. */
export function addVendorTool(body: JsonObject, tool: JsonObject & { type: string }): JsonObject {
  const tools = listOf(body['tools']);
  const isThere = tools.some((other) => objectOf(other)['type'] === tool.type);
  return isThere || body['tool_choice'] === 'none' ? body : { ...body, tools: [...tools, tool] };
}
