/** Walks through a request's body for everything that costs prompt tokens. */
import { InvalidRequest } from '../format.ts';
import { isObject, objectOf, textOf } from '../json.ts';
import { imageTokens } from './image-tokens.ts';
import type { ModelFamily } from './model-family.ts';

export interface PromptReader {
  text(text: string): void;
  /** What is no text: structure, pictures, files. */
  tokens(count: number): void;
}

/** No request that a person or an agent writes is nested deeper; tool schemas reach about twenty. */
const DEPTH_MAX = 64;
/** Each field costs work at every later step; the widest tool schemas have a few hundred. */
const FIELDS_MAX = 10_000;

/** Types of content parts. */
export const imageParts: ReadonlySet<unknown> = new Set(['image', 'image_url', 'input_image']);
/** A short document costs a few thousand tokens, ten seconds of speech about 100. */
const fileTokens: Readonly<Record<string, number>> = {
  document: 4_000,
  file: 4_000,
  input_file: 4_000,
  input_audio: 500,
};

const nobody: PromptReader = { text() {}, tokens() {} };

/**
 * Each key, number and boolean counts as one token, which comes close to what vendors add per message and per
 * schema field.
 * @throws InvalidRequest when the body is nested too deeply, or an object in it too wide.
 */
export function readPrompt(value: unknown, family: ModelFamily, reader: PromptReader, depth = 0): void {
  if (typeof value === 'string') return reader.text(value);
  if (typeof value !== 'object' || value === null) return reader.tokens(1);
  if (depth >= DEPTH_MAX) throw new InvalidRequest(`The request is nested deeper than ${DEPTH_MAX} levels.`);
  if (Array.isArray(value)) {
    for (const item of value) readPrompt(item, family, reader, depth + 1);
    return;
  }
  const values = Object.values(value);
  if (values.length > FIELDS_MAX)
    throw new InvalidRequest(`The request has an object with more than ${FIELDS_MAX} fields.`);
  const media = isObject(value) ? mediaTokens(value, family) : undefined;
  reader.tokens(media ?? values.length);
  // What is inside a picture or a file has been counted with it, but must be no deeper than anything else.
  const inside = media === undefined ? reader : nobody;
  for (const item of values) readPrompt(item, family, inside, depth + 1);
}

/** Undefined for what is not a content part with a picture, a file or speech in it. */
function mediaTokens(part: Record<string, unknown>, family: ModelFamily): number | undefined {
  const type = textOf(part['type']);
  if (type === undefined || !(imageParts.has(type) || Object.hasOwn(fileTokens, type))) return undefined;
  // A property called "image" in a tool's schema has a type, too, but not the part's payload beside it.
  const payload = part['source'] ?? part[type] ?? part['image_url'] ?? part['file_data'] ?? part['file_id'];
  if (payload === undefined || objectOf(payload)['type'] === 'text') return undefined;
  if (!imageParts.has(type)) return fileTokens[type];
  const { detail } = objectOf(payload);
  return imageTokens(family.image, base64Of(payload), detail ?? part['detail']);
}

/** OpenAI writes `{url}` or the address alone, Anthropic `{type: 'base64', data}`. */
function base64Of(payload: unknown): string | undefined {
  const { data, url = payload } = objectOf(payload);
  if (typeof data === 'string') return data;
  if (typeof url !== 'string' || !url.startsWith('data:')) return undefined;
  return url.slice(url.indexOf(',') + 1);
}
