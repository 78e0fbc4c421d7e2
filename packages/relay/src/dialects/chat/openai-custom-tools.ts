/**
 * OpenAI's custom tools, which take text instead of JSON. In other dialects they are functions with one text, and a
 * call is converted back to the declared form.
 */

import { isObject, type JsonObject, objectOf, parseJson, textOf } from '../../json/json.ts';
import type { Tool } from '../../model/conversation.ts';

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
