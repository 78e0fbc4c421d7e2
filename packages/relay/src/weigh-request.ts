import { InvalidRequest } from './format.ts';
import { isObject } from './json.ts';
import { tokensOfText } from './text-size.ts';

/** No request that a person or an agent writes is nested deeper; tool schemas reach about twenty. */
const DEPTH_MAX = 64;
/** Each field costs work at every later step; the widest tool schemas have a few hundred. */
const FIELDS_MAX = 10_000;

/**
 * Content parts that are not text, by `type`, at the flat rate of a typical one: an image of a megapixel costs
 * 765–1,600 tokens depending on the vendor, a short document a few thousand, ten seconds of speech about 100.
 */
const partTokens: Readonly<Record<string, number>> = {
  image: 1_000,
  image_url: 1_000,
  input_image: 1_000,
  document: 4_000,
  file: 4_000,
  input_file: 4_000,
  input_audio: 500,
};

/**
 * Adds up roughly what a request's prompt costs in tokens: its strings by length, and one token for each key,
 * number and boolean, which comes close to what vendors add per message and per schema field.
 * @throws InvalidRequest when the body is nested too deeply, or an object in it too wide.
 */
export function weighRequest(value: unknown, depth = 0): number {
  if (typeof value === 'string') return tokensOfText(value);
  if (typeof value !== 'object' || value === null) return 1;
  if (depth >= DEPTH_MAX) throw new InvalidRequest(`The request is nested deeper than ${DEPTH_MAX} levels.`);
  let tokens = 0;
  if (Array.isArray(value)) {
    for (const item of value) tokens += weighRequest(item, depth + 1);
    return tokens;
  }
  const values = Object.values(value);
  if (values.length > FIELDS_MAX)
    throw new InvalidRequest(`The request has an object with more than ${FIELDS_MAX} fields.`);
  for (const item of values) tokens += 1 + weighRequest(item, depth + 1);
  return isObject(value) ? (flatRate(value) ?? tokens) : tokens;
}

function flatRate(part: Record<string, unknown>): number | undefined {
  if (typeof part['type'] !== 'string' || !Object.hasOwn(partTokens, part['type'])) return undefined;
  // A property called "image" in a tool's schema has a type, too, but not the part's payload beside it.
  const payload =
    part['source'] ?? part[part['type']] ?? part['image_url'] ?? part['file_data'] ?? part['file_id'];
  if (payload === undefined || (isObject(payload) && payload['type'] === 'text')) return undefined;
  return partTokens[part['type']];
}
