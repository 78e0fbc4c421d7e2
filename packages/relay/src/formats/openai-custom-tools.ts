/**
 * OpenAI's custom tools take text instead of JSON. Elsewhere they are functions with a single text, and a call of one
 * comes back as the client declared it.
 */
import type { Tool } from '../conversation.ts';
import { isObject, parseJson, textOf } from '../json.ts';

type CustomTool = Pick<Tool, 'name' | 'description'>;

/** @param rule of the text, in words: nobody holds the model to it, but it may keep to it */
export function customTool({ name, description }: CustomTool, rule?: string): Tool {
  const input = { type: 'string', ...(rule !== undefined && { description: rule }) };
  const parameters = {
    type: 'object',
    properties: { input },
    required: ['input'],
    additionalProperties: false,
  };
  return { name, description, parameters };
}

export function argumentsOfCustom(input: unknown): string {
  return JSON.stringify({ input: textOf(input) ?? '' });
}

/** What is no object with such a text is what the model wrote in its place. */
export function inputOfCustom(text: string): string {
  const parsed = parseJson(text);
  const input = isObject(parsed) ? parsed['input'] : undefined;
  return typeof input === 'string' ? input : text;
}
