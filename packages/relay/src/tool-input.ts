import { isObject, objectOf, parseToolJson, textOf } from './json.ts';
import { excessOf } from './json-size.ts';

/**
 * A tool call's arguments for dialects in which they are an object. What a model wrote instead is kept, under a name
 * that says so.
 */
export function inputOf(text: string): unknown {
  if (text.trim() === '') return {};
  return parsedInput(text) ?? { _raw: text };
}

/** Undefined unless the text is an object, whole. */
export function parsedInput(text: string): unknown {
  const parsed = excessOf([text]) === undefined ? parseToolJson(text) : undefined;
  return isObject(parsed) ? objectOf(parsed) : undefined;
}

/**
 * The arguments of a call in a client's history as JSON text, as both of OpenAI's dialects have them. Some clients keep
 * the object that they parsed.
 */
export function argumentsText(value: unknown): string {
  return isObject(value) ? JSON.stringify(value) : (textOf(value) ?? '{}');
}
