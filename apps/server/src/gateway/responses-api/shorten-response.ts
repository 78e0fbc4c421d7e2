/** Shortens responses that are too large to be stored: what is left is still useful to the client who paid for it. */
import { DetachedStrings } from '@switchyard/relay';
import { isObject } from '@switchyard/relay/json';

type Fields = Readonly<Record<string, unknown>>;

/** Field of a shortened response with the paths of what was removed, such as `output.1.result`; a hundred at most. */
export const REMOVED_FIELD = 'switchyard_removed';

/** Value that can be removed or shortened, with its place in the response. */
interface Part {
  holder: object;
  key: string;
  path: string;
  /** Parts with lower ranks are removed first. */
  rank: number;
  /** Characters of its JSON, or fewer: a string counts without its quotes and escapes. */
  size: number;
  /** Returns the value to store instead, shorter by at least so many characters of JSON if it is long enough. */
  shorten: (excess: number) => unknown;
}

/** Order of removal. The client has the request, and wants the text. */
const RANKS = { image: 0, result: 1, request: 2, text: 3 };
/** Shorter strings stay. */
const PART_MIN = 1_024;
const NAMES_MAX = 100;
const NAME_LENGTH_MAX = 160;
/** Characters that a shortened response needs at most besides the names. */
const MARKS_SIZE = 200;
const DEPTH_MAX = 16;

/** Fields that repeat the request, with the values that leave them out. */
const requestFields: Readonly<Record<string, unknown>> = { instructions: null, tools: [] };

/** Types of items that the client has to read, so that nothing is removed from them. */
const clientItems: ReadonlySet<unknown> = new Set([
  'function_call',
  'custom_tool_call',
  'local_shell_call',
  'apply_patch_call',
  'tool_search_call',
  'computer_call',
]);

/**
 * Returns the response if it has at most so many characters of JSON; otherwise without as many of its images, then
 * results of the vendor's tools, then fields of the request as necessary, the largest ones first. If that is not
 * enough, its texts are cut and it is marked as incomplete.
 * @param strings strings for which names stand in the response
 * @returns undefined if it still has more characters
 */
export function shortenResponse(
  response: Fields,
  maxSize: number,
  strings = new DetachedStrings(),
): Fields | undefined {
  let excess = strings.sizeOfAttached(JSON.stringify(response)) - maxSize;
  if (excess <= 0) return response;
  excess += MARKS_SIZE;
  const replaced = new Map<object, Map<string, unknown>>();
  const names: string[] = [];
  let isCut = false;
  for (const { holder, key, path, rank, size, shorten } of listParts(response, strings)) {
    if (excess <= 0) break;
    if (names.length < NAMES_MAX) {
      const name = path.slice(0, NAME_LENGTH_MAX);
      names.push(name);
      excess += sizeOf(name) + 1;
    }
    const value = shorten(excess);
    const values = replaced.get(holder) ?? new Map<string, unknown>();
    replaced.set(holder, values.set(key, value));
    isCut ||= rank === RANKS.text;
    excess -= size - measure(value, strings);
  }
  if (excess > 0) return undefined;
  return {
    ...replaceInObject(response, replaced, 0),
    ...(isCut && { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }),
    [REMOVED_FIELD]: names,
  };
}

/** Returns the parts in the order of their removal. */
function listParts(response: Fields, strings: DetachedStrings): Part[] {
  const parts: Part[] = [];
  const { output } = response;
  const items = Array.isArray(output) ? output : [];
  for (const [nth, item] of items.entries()) addItem(parts, item, `output.${nth}`, strings);
  for (const [key, value] of Object.entries(requestFields)) {
    const size = measure(response[key] ?? null, strings);
    if (size >= PART_MIN)
      parts.push({ holder: response, key, path: key, rank: RANKS.request, size, shorten: () => value });
  }
  return parts.toSorted((one, other) => one.rank - other.rank || other.size - one.size);
}

function addItem(parts: Part[], item: unknown, path: string, strings: DetachedStrings): void {
  if (!isObject(item) || clientItems.has(item['type'])) return;
  if (item['type'] !== 'message') {
    addStrings(parts, item, path, item['type'] === 'image_generation_call' ? RANKS.image : RANKS.result, strings);
    return;
  }
  const content: unknown[] = Array.isArray(item['content']) ? item['content'] : [];
  for (const [nth, part] of content.entries()) {
    const text = isObject(part) ? part['text'] : undefined;
    if (!isObject(part) || typeof text !== 'string') continue;
    parts.push({
      holder: part,
      key: 'text',
      path: `${path}.content.${nth}.text`,
      rank: RANKS.text,
      size: measure(text, strings),
      shorten(excess) {
        const whole = strings.read(text);
        // An escaped character has more than one in JSON.
        return whole.slice(0, Math.max(0, whole.length - excess - 1)).toWellFormed();
      },
    });
  }
}

/** Adds all long strings in a value. */
function addStrings(
  parts: Part[],
  value: object,
  path: string,
  rank: number,
  strings: DetachedStrings,
  depth = 0,
): void {
  for (const [key, inner] of Object.entries(value)) {
    const innerPath = `${path}.${key}`;
    if (typeof inner === 'string' && strings.sizeOf(inner) >= PART_MIN)
      parts.push({ holder: value, key, path: innerPath, rank, size: measure(inner, strings), shorten: () => null });
    if (typeof inner === 'object' && inner !== null && depth < DEPTH_MAX)
      addStrings(parts, inner, innerPath, rank, strings, depth + 1);
  }
}

function sizeOf(value: unknown): number {
  return JSON.stringify(value).length;
}

/**
 * Returns at most the characters of a value's JSON. Serializing each image again to measure it exactly would stop all
 * other requests for as long as serializing the whole response takes.
 */
function measure(value: unknown, strings: DetachedStrings): number {
  return typeof value === 'string' ? strings.sizeOf(value) : sizeOf(value);
}

type Replacements = ReadonlyMap<object, ReadonlyMap<string, unknown>>;

function replaceInObject(object: Fields, replaced: Replacements, depth: number): Fields {
  const own = replaced.get(object);
  return Object.fromEntries(
    Object.entries(object).map(([key, inner]) => [
      key,
      own?.has(key) ? own.get(key) : replaceIn(inner, replaced, depth),
    ]),
  );
}

function replaceIn(value: unknown, replaced: Replacements, depth: number): unknown {
  // Items are three levels deeper than their parts.
  if (depth > DEPTH_MAX + 3) return value;
  if (isObject(value)) return replaceInObject(value, replaced, depth + 1);
  if (!Array.isArray(value)) return value;
  const own = replaced.get(value);
  return value.map((inner: unknown, nth) =>
    own?.has(String(nth)) ? own.get(String(nth)) : replaceIn(inner, replaced, depth + 1),
  );
}
