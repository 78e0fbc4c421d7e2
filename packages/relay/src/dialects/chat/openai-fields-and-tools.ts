/** Fields with the same meaning in both of OpenAI's chat dialects, though in different places. */

import { booleanOf, isObject, type JsonObject, objectOf, parseJson, textOf } from '../../json/json.ts';
import type { Conversation, OutputFormat, ReasoningEffort, Tool } from '../../model/conversation.ts';
import { efforts } from './reasoning-effort.ts';

const levels = ['low', 'medium', 'high'] as const;

/** Documented limit; more is answered with 400. Claude Code's user ids are longer. */
const USER_LENGTH_MAX = 64;

export function decodeEffort(value: unknown): ReasoningEffort | undefined {
  return efforts.find((effort) => effort === value);
}

/** Decodes a level such as that of `verbosity`, or of the search context size. */
export function decodeLevel(value: unknown): (typeof levels)[number] | undefined {
  return levels.find((level) => level === value);
}

export function decodeMetadata(value: unknown): Conversation['metadata'] {
  const entries = Object.entries(objectOf(value)).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

export function decodeUser(body: JsonObject): string | undefined {
  return textOf(body['safety_identifier']) ?? textOf(body['user']);
}

/** @returns undefined if the user id is too long */
export function encodeUser(userId: string | undefined, dropped: string[]): string | undefined {
  if (userId === undefined || userId.length <= USER_LENGTH_MAX) return userId;
  dropped.push('metadata.user_id');
  return undefined;
}

export function decodeServiceTier(value: unknown, unsupported: string[]): Conversation['serviceTier'] {
  if (value === 'auto') return 'auto';
  if (value === 'default') return 'standard';
  if (value != null && value !== false) unsupported.push('service_tier');
  return undefined;
}

export function encodeServiceTier(tier: Conversation['serviceTier']): string | undefined {
  return tier === 'standard' ? 'default' : tier;
}

/** @param schemaIn object that contains the schema and its options */
export function decodeOutputFormat(format: JsonObject, schemaIn: JsonObject): OutputFormat | undefined {
  if (format['type'] === 'json_object') return { type: 'json' };
  if (format['type'] !== 'json_schema') return undefined;
  const strict = booleanOf(schemaIn['strict']);
  return {
    type: 'json-schema',
    name: textOf(schemaIn['name']) ?? 'answer',
    schema: schemaIn['schema'] ?? { type: 'object' },
    ...(strict !== undefined && { strict }),
  };
}

/**
 * OpenAI's custom tool, which takes text instead of JSON. In other dialects it is a function with one text, and a
 * call is converted back to the declared form.
 */
type CustomTool = Pick<Tool, 'name' | 'description'>;

/**
 * Returns the function for a custom tool. Other dialects cannot enforce a grammar, which therefore becomes an
 * instruction and is reported in `unsupported`.
 * @param format `{ syntax, definition }` of a grammar, which Chat Completions nests in an object
 */
export function toFunctionTool({ name, description }: CustomTool, format: JsonObject, unsupported: string[]): Tool {
  const rule = format['type'] === 'grammar' ? describeGrammar(format) : undefined;
  if (rule !== undefined) unsupported.push('tools.custom.format');
  const input = { type: 'string', ...(rule !== undefined && { description: rule }) };
  const parameters = { type: 'object', properties: { input }, required: ['input'], additionalProperties: false };
  return { name, description, parameters };
}

function describeGrammar(format: JsonObject): string {
  const { syntax, definition } = objectOf(format['grammar'] ?? format);
  return `Must match this ${textOf(syntax) ?? ''} grammar:\n${textOf(definition) ?? ''}`;
}

export function encodeCustomInput(input: unknown): string {
  return JSON.stringify({ input: textOf(input) ?? '' });
}

/** Returns the input of a custom tool call: the object's `input` text, else the model's raw text. */
export function decodeCustomInput(text: string): string {
  const parsed = parseJson(text);
  const input = isObject(parsed) ? parsed['input'] : undefined;
  return typeof input === 'string' ? input : text;
}
