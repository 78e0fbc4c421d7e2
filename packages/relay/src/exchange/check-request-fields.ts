/** Checks of request fields that the dialects share: types, numbers, lengths of texts and names, entries of lists. */

import { describeType, describeValue } from '../json/describe-value.ts';
import { isObject, type JsonObject, KEY_MAX, objectOf, textOf } from '../json/json.ts';
import type { Operation } from '../model/dialect-id.ts';
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import { CHOICES_MAX } from '../translate/response-choices.ts';

/**
 * Maximum output cap. No vendor's responses are longer; a larger cap is a mistake or an attack on the hold's
 * arithmetic.
 */
const OUTPUT_TOKENS_MAX = 10_000_000;

export function readTokenCap(body: JsonObject, field: string): number | undefined {
  return readInteger(body, field, 0, OUTPUT_TOKENS_MAX);
}

export function readChoices(body: JsonObject, field: string): number {
  return readInteger(body, field, 1, CHOICES_MAX) ?? 1;
}

export function readInteger(body: JsonObject, field: string, min: number, max: number): number | undefined {
  const value = body[field] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max)
    throw new InvalidRequestError(
      `${field} must be an integer between ${min} and ${max}, not ${describeValue(value)}.`,
      field,
    );
  return value;
}

export function requireText(body: JsonObject, field: string): string {
  const value = body[field] ?? undefined;
  if (value === undefined) throw new InvalidRequestError(`Missing required parameter: ${field}.`, field);
  if (typeof value !== 'string')
    throw new InvalidRequestError(`${field} must be a string, not ${describeType(value)}.`, field);
  return value;
}

/** Maximum characters of the texts below. No vendor takes as many: ElevenLabs 40,000, gpt-image 32,000. */
const TEXT_MAX = 100_000;
const prompts = ['prompt', 'negative_prompt', 'content', 'gpt_description_prompt'];
/** Texts that are translated for each channel, before funds are reserved. */
const limitedTexts: Readonly<Partial<Record<Operation, readonly string[]>>> = {
  speech: ['input', 'instructions', 'voice'],
  images: prompts,
  videos: prompts,
  drawing: prompts,
  music: prompts,
};

/** @throws InvalidRequestError for a text that is longer than any vendor takes */
export function checkTextLengths(operation: Operation, body: JsonObject): void {
  for (const field of limitedTexts[operation] ?? []) {
    checkLength(textOf(body[field]) ?? textOf(objectOf(body[field])['id']), field, TEXT_MAX);
  }
}

/** @throws InvalidRequestError for a text of more than `max` characters */
export function checkLength(text: string | undefined, field: string, max: number): void {
  if (text !== undefined && text.length > max)
    throw new InvalidRequestError(
      `${field} has ${formatCount(text.length)} characters. Send at most ${formatCount(max)}.`,
      field,
    );
}

/** Fields with names and ids that become keys of maps. */
const identifiers: ReadonlySet<string> = new Set([
  '$ref',
  'allowedFunctionNames',
  'allowed_function_names',
  'call_id',
  'id',
  'modalities',
  'name',
  'namespace',
  'required',
  'responseModalities',
  'response_modalities',
  'timestamp_granularities',
  'tool_call_id',
  'tool_use_id',
  'type',
]);

/**
 * Checks names and ids at any depth. @param field name of the value's field, or of the list that contains it
 * @throws InvalidRequestError
 */
export function checkIdentifiers(value: unknown, field: string): void {
  if (typeof value === 'string') {
    if (identifiers.has(field)) checkLength(value, field, KEY_MAX);
  } else if (Array.isArray(value)) {
    for (const item of value) checkIdentifiers(item, field);
  } else if (isObject(value)) {
    for (const [name, inner] of Object.entries(value)) checkIdentifiers(inner, name);
  }
}

const formatCount = (count: number): string => count.toLocaleString('en');

export function requireList(body: JsonObject, field: string): void {
  const value = body[field] ?? undefined;
  if (value === undefined) throw new InvalidRequestError(`Missing required parameter: ${field}.`, field);
  if (!Array.isArray(value))
    throw new InvalidRequestError(`${field} must be an array, not ${describeType(value)}.`, field);
  if (value.length === 0) throw new InvalidRequestError(`${field} must not be empty.`, field);
}

/**
 * Decodes the entries of a list. An error names the entry, because a conversation has hundreds of them.
 * @throws InvalidRequestError
 */
export function decodeEntries<T>(field: string, entries: readonly unknown[], decode: (entry: JsonObject) => T): T[] {
  return entries.map((entry, index) => {
    if (!isObject(entry))
      throw new InvalidRequestError(`${field}[${index}] must be an object, not ${describeType(entry)}.`, field);
    try {
      return decode(entry);
    } catch (error) {
      if (!(error instanceof InvalidRequestError)) throw error;
      throw new InvalidRequestError(`${field}[${index}]: ${error.message}`, field);
    }
  });
}

export function requireTextOrList(body: JsonObject, field: string): void {
  const value = body[field] ?? undefined;
  if (value === undefined) throw new InvalidRequestError(`Missing required parameter: ${field}.`, field);
  if (typeof value !== 'string' && !Array.isArray(value)) {
    throw new InvalidRequestError(`${field} must be a string or an array, not ${describeType(value)}.`, field);
  }
}
