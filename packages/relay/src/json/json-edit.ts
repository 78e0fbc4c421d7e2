/**
 * Edits top-level members of a JSON object in its bytes, so that everything else reaches the upstream exactly as the
 * client wrote it: number spellings, key order (prompt caches depend on it), unknown fields.
 */
import { type JsonObject, OPEN_BRACE } from './json.ts';
import { listTopLevelMembers } from './scan-json-bytes.ts';

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
