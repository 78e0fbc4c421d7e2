/**
 * Edits top-level members of a JSON object in its bytes, so that everything else reaches the upstream exactly as the
 * client wrote it: number spellings, key order (prompt caches depend on it), unknown fields.
 */
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  findStringEnd,
  type JsonObject,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './json.ts';

interface Member {
  key: string;
  start: number;
  valueStart: number;
  /** After the value, before the comma. */
  end: number;
}

/**
 * @param body JSON text of an object, known to be valid
 * @param before parsed members of `body`
 * @param after members of the result, compared by identity
 * @returns `body` itself if nothing differs
 */
export function editJson(body: Buffer, before: JsonObject, after: JsonObject): Buffer {
  if (before === after) return body;
  const isChanged = (key: string): boolean => before[key] !== after[key];
  const removed = Object.keys(before).filter((key) => after[key] === undefined);
  const added = Object.keys(after).filter((key) => before[key] === undefined && after[key] !== undefined);
  const changed = new Set(Object.keys(before).filter((key) => isChanged(key) && after[key] !== undefined));
  if (removed.length + added.length + changed.size === 0) return body;
  if (removed.length > 0) return rebuildBody(body, after, isChanged);

  const pieces: (Buffer | string)[] = [];
  let copied = body.indexOf(OPEN_BRACE) + 1;
  pieces.push(body.subarray(0, copied));
  const members = changed.size > 0 ? listTopLevelMembers(body) : [];
  const isEmpty = Object.keys(before).length === 0;
  for (const key of added) {
    pieces.push(`${JSON.stringify(key)}:${JSON.stringify(after[key])}`, isEmpty && key === added.at(-1) ? '' : ',');
  }
  // Parsers disagree on which of two equal keys counts, so that all are changed.
  for (const member of members) {
    if (!changed.has(member.key)) continue;
    pieces.push(body.subarray(copied, member.valueStart), JSON.stringify(after[member.key]));
    copied = member.end;
  }
  pieces.push(body.subarray(copied));
  return Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));
}

/**
 * Returns the first key that an object has twice, at any depth. @param body JSON text of an object, known to be valid
 */
export function findRepeatedKey(body: Buffer): string | undefined {
  /** Keys of each open object; undefined for a list. */
  const open: (Set<string> | undefined)[] = [];
  let at = 0;
  while (at < body.length) {
    const byte = body[at];
    if (byte !== QUOTE) {
      if (byte === OPEN_BRACE || byte === OPEN_BRACKET) open.push(byte === OPEN_BRACE ? new Set() : undefined);
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) open.pop();
      at++;
      continue;
    }
    const end = findStringEnd(body, at);
    const keys = open.at(-1);
    if (keys !== undefined && body[skipBlank(body, end)] === COLON) {
      const key = readKey(body, at, end);
      if (keys.has(key)) return key;
      keys.add(key);
    }
    at = end;
  }
  return undefined;
}

/** Rebuilds a body with removed members and new commas; unchanged values are copied as bytes. */
function rebuildBody(body: Buffer, after: JsonObject, isChanged: (key: string) => boolean): Buffer {
  const kept = new Map(listTopLevelMembers(body).map((member) => [member.key, member]));
  const pieces: Buffer[] = [];
  for (const key of Object.keys(after)) {
    if (after[key] === undefined) continue;
    const member = kept.get(key);
    pieces.push(Buffer.from(pieces.length === 0 ? '{' : ','));
    pieces.push(
      member === undefined || isChanged(key)
        ? Buffer.from(`${JSON.stringify(key)}:${JSON.stringify(after[key])}`)
        : body.subarray(member.start, member.end),
    );
  }
  return Buffer.concat([...pieces, Buffer.from(pieces.length === 0 ? '{}' : '}')]);
}

function listTopLevelMembers(body: Buffer): Member[] {
  const members: Member[] = [];
  let at = body.indexOf(OPEN_BRACE) + 1;
  while (at < body.length) {
    const start = body.indexOf(QUOTE, at);
    if (start === -1) break;
    const keyEnd = findStringEnd(body, start);
    const valueStart = skipBlank(body, body.indexOf(COLON, keyEnd) + 1);
    const end = findValueEnd(body, valueStart);
    members.push({ key: readKey(body, start, keyEnd), start, valueStart, end });
    at = skipBlank(body, end);
    if (body[at] !== COMMA) break;
    at++;
  }
  return members;
}

/** Reads a key, which may contain escapes. */
function readKey(body: Buffer, start: number, end: number): string {
  const text = body.toString('utf8', start + 1, end - 1);
  if (!text.includes('\\')) return text;
  const parsed: unknown = JSON.parse(`"${text}"`);
  return typeof parsed === 'string' ? parsed : text;
}

function skipBlank(body: Buffer, from: number): number {
  let at = from;
  while ((body[at] ?? 33) <= 32) at++;
  return at;
}

function findValueEnd(body: Buffer, start: number): number {
  const first = body[start];
  if (first === QUOTE) return findStringEnd(body, start);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return findNestedEnd(body, start);
  let at = start;
  while (at < body.length && !isDelimiter(body[at])) at++;
  return at;
}

function isDelimiter(byte: number | undefined): boolean {
  return byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || (byte !== undefined && byte <= 32);
}

function findNestedEnd(body: Buffer, start: number): number {
  let depth = 0;
  let at = start;
  while (at < body.length) {
    const byte = body[at];
    if (byte === QUOTE) {
      at = findStringEnd(body, at);
      continue;
    }
    at++;
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth--;
      if (depth === 0) return at;
    }
  }
  return at;
}
