/** Shared checks of the fields that determine how much a request may cost. */

import { describeType, describeValue } from '../json/describe-value.ts';
import { isObject, type JsonObject, KEY_MAX, objectOf, shortCopy, textOf } from '../json/json.ts';
import type { Operation } from '../model/dialect-id.ts';
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import { CHOICES_MAX } from '../translate/response-choices-and-parts.ts';
import { unpricedFields } from './unpriced-fields.ts';

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

/** Fields that determine the served model and the price. */
const decisive: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'system',
  'input',
  'instructions',
  'previous_response_id',
  'conversation',
  'prompt',
  'stream',
  'stream_options',
  'n',
  'best_of',
  'size',
  'image_size',
  'quality',
  'steps',
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'tools',
  'functions',
  'thinking',
  'reasoning',
  'reasoning_effort',
  'seconds',
  'duration',
  'width',
  'height',
  'resolution',
  'mode',
  'mv',
  'model_name',
  'task_id',
  'callback_url',
  'notify_hook',
  'action',
  'content',
  'filter',
  'index',
  'continue_clip_id',
  'effect_scene',
  'video_id',
  'modalities',
  'enable_search',
  'enable_enhancement',
  'web_search',
  'web_search_options',
  'search_parameters',
  'venice_parameters',
  'extra_body',
  'mcp_servers',
  'thinking_budget',
  'enable_thinking',
  ...unpricedFields.filter((field) => field === field.toLowerCase()),
]);

/** Such fields in camelCase dialects, by their case-folded names. */
const decisiveInCamelCase: ReadonlyMap<string, string> = new Map(
  [
    'contents',
    'generationConfig',
    'generation_config',
    'systemInstruction',
    'serviceTier',
    'accountFilter',
    'notifyHook',
    'customId',
    'taskId',
  ].map((field) => [field.toLowerCase(), field]),
);

/** Such fields within settings and tools, in all spellings that vendors read. */
const decisiveInside: ReadonlyMap<string, string> = new Map(
  [
    'include_usage',
    'max_tokens',
    'max_output_tokens',
    'maxOutputTokens',
    'candidate_count',
    'candidateCount',
    'budget_tokens',
    'thinking_budget',
    'thinkingBudget',
    'thinking_config',
    'thinkingConfig',
    'thinking_level',
    'thinkingLevel',
    'effort',
    'enabled',
    'enable',
    'enable_search',
    'enable_web_search',
    'search_context_size',
    'max_uses',
    'type',
    'tools',
    'response_modalities',
    'responseModalities',
    'image_config',
    'imageConfig',
    'image_size',
    'imageSize',
    'google_search',
    'googleSearch',
    'google_search_retrieval',
    'googleSearchRetrieval',
    'google_maps',
    'googleMaps',
    'url_context',
    'urlContext',
    'code_execution',
    'codeExecution',
    'file_search',
    'fileSearch',
    'enterprise_web_search',
    'enterpriseWebSearch',
  ].map((field) => [field.toLowerCase(), field]),
);
/** Members with texts, or with names that the client chooses: of a schema, or of an app's variables. */
const contents: ReadonlySet<string> = new Set([
  'messages',
  'contents',
  'input',
  'prompt',
  'system',
  'system_instruction',
  'systemInstruction',
  'instructions',
  'metadata',
  'inputs',
  'variables',
  'prompt_variables',
  'custom_variables',
  'documents',
  'function',
  'functions',
  'functionDeclarations',
  'function_declarations',
  'parameters',
  'parametersJsonSchema',
  'input_schema',
  'json_schema',
  'schema',
  'response_format',
  'responseSchema',
  'response_schema',
  'responseJsonSchema',
  'response_json_schema',
  'format',
  'text',
  'labels',
  'headers',
]);
const INSIDE_DEPTH_MAX = 5;

/**
 * Refuses case variants of these fields. Some upstreams (Go's `encoding/json`) ignore case and use the last match:
 * `Model` beside `model` would be served there without being seen here. Checks both case foldings, because U+017F and
 * U+212A fold to ASCII letters.
 * @throws InvalidRequestError
 */
export function checkSpelling(body: JsonObject): void {
  for (const field of Object.keys(body)) {
    const folded = field.toUpperCase().toLowerCase();
    const name = decisiveInCamelCase.get(folded) ?? (decisive.has(folded) ? folded : field);
    if (name !== field) throw new InvalidRequestError(`${shown(field)} must be written ${name}.`, name);
    if (!contents.has(field)) checkSpellingInside(body[field], field, 1);
  }
}

/** @throws InvalidRequestError */
function checkSpellingInside(value: unknown, path: string, depth: number): void {
  if (typeof value !== 'object' || value === null || depth > INSIDE_DEPTH_MAX) return;
  if (Array.isArray(value)) {
    for (const item of value) checkSpellingInside(item, path, depth + 1);
    return;
  }
  for (const [field, inner] of Object.entries(value)) {
    const name = decisiveInside.get(field.toUpperCase().toLowerCase());
    // The list has both spellings of a name with several words, which fold differently.
    if (name !== undefined && name !== field)
      throw new InvalidRequestError(`${path}.${shown(field)} must be written ${name}.`, path);
    if (!contents.has(field)) checkSpellingInside(inner, `${path}.${shown(field)}`, depth + 1);
  }
}

function shown(field: string): string {
  return field.replaceAll(/[^\x21-\x7e]/g, '?');
}

/** Maximum reported names, which go into a header and the usage record. Real clients need far fewer. */
const FIELDS_MAX = 32;
const NAME_MAX = 64;

/** Returns unique, short names of visible ASCII: clients choose the names, which a header might not accept. */
export function formatDroppedFields(names: readonly string[]): string[] {
  const unique = new Set<string>();
  for (const name of names) {
    if (unique.size === FIELDS_MAX) break;
    unique.add(name.slice(0, NAME_MAX).replaceAll(/[^\x21-\x7e]/g, '?'));
  }
  return [...unique];
}

/** Collector of such names during a response, which may add many. */
export class DroppedFieldNames {
  readonly #names = new Set<string>();

  get list(): readonly string[] {
    return formatDroppedFields([...this.#names]);
  }

  add(name: string): void {
    if (this.#names.size < FIELDS_MAX) this.#names.add(shortCopy(name, NAME_MAX));
  }
}
