/** Options of a channel that several vendors share: tools that are added to every chat, and names of voices. */

import { type JsonObject, listOf, objectOf } from '../json/json.ts';
import type { ProviderField, Target } from '../model/provider.ts';

/** Operator's mapping from OpenAI's voice names to the vendor's, which takes precedence over the default. */
export const voicesOption: ProviderField = { name: 'voices', required: false, placeholder: 'alloy=…, nova=…' };

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

/**
 * Returns the vendor's name of a voice; an unknown name is passed on as the vendor's own.
 * @param usual default mapping by OpenAI's names
 */
export function mapVoice(
  { options }: Pick<Target, 'options'>,
  asked: string,
  usual: Readonly<Record<string, string>>,
): string {
  const pairs = (options['voices'] ?? '').split(/[,;\n]/).map((pair) => pair.split('='));
  const own = pairs.find(([name = '', voice]) => name.trim() === asked && voice !== undefined)?.[1]?.trim();
  return own || (Object.hasOwn(usual, asked) ? usual[asked] : undefined) || asked;
}
