/** Counts the objects, values and fields of a request before it is parsed: what exceeds the limits, and what parsing costs. */
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  DEPTH_MAX,
  findStringEnd,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './json.ts';
import { hasManyShapes, SHAPES_MAX } from './json-shapes.ts';
import { FIELD_NAME_MAX, SCALAR_MAX } from './json-text-limits.ts';
import { skipBlank } from './scan-json-bytes.ts';

/**
 * Maximum objects and lists. A parsed empty object takes twenty times the memory of its text; agents send some
 * thousands.
 */
const CONTAINERS_MAX = 100_000;
/** Maximum values. The largest batch of prompts as token numbers has 300,000 (OpenAI, embeddings). */
const VALUES_MAX = 1_000_000;

/** Maximum fields of all objects together: parsing as many takes 0.2 seconds. Agents send some ten thousand. */
const MEMBERS_MAX = 200_000;

/**
 * Maximum fields of an object: JavaScript stores larger objects in a slow form, in which half a million fields take
 * half a second.
 */
const FIELDS_MAX = 10_000;

/** Lookup table of the structural bytes, which is faster than seven comparisons. */
const isStructure = new Uint8Array(256);
for (const byte of [QUOTE, COLON, COMMA, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE]) isStructure[byte] = 1;

/**
 * Checks a body before it is parsed, because the parsed form could exhaust the memory. Costs about a nanosecond per
 * byte, and almost nothing within long strings.
 * @returns number of members of all objects in the text, including repeated ones
 * @throws InvalidRequestError
 */
export function checkJsonSize(body: Buffer): number {
  const { size, excess } = measureBody(body);
  if (excess !== undefined) throw new InvalidRequestError(`The request ${excess}.`);
  return size.members;
}

/** Returns the limit that a body exceeds before it is parsed, as the end of a sentence; undefined if none. */
export function findBodyExcess(body: Buffer): string | undefined {
  return measureBody(body).excess;
}

interface Bound {
  /** Objects and lists. */
  containers: number;
  /** Other values. */
  values: number;
}

/** Values below which reading, translating and writing a request takes at most about ten milliseconds. */
const MANY: Bound = { containers: 4_000, values: 40_000 };
/** Values below which a message of a session takes half a millisecond: a session may send hundreds in a second. */
const SOME: Bound = { containers: 200, values: 2_000 };
/** Minimum bytes of an object or list in a list. */
const CONTAINER_MIN_BYTES = 3;
const MANY_MIN_BYTES = CONTAINER_MIN_BYTES * MANY.containers;

/** Above this size, reading, translating and writing a body takes milliseconds if its strings are full of escapes. */
const LONG_BYTES = 262_144;

/** Returns whether a JSON body keeps the process busy when it is parsed, by its size or by the number of its values. */
export function isLongJson(body: Buffer): boolean {
  return body.length >= LONG_BYTES || hasManyValues(body);
}

/** Half a second of audio, or a text whose escapes take a millisecond. */
const LONG_MESSAGE_BYTES = 32_768;

/** Returns the same of a message, of which there may be hundreds in a second. */
export function isLongMessage(message: Buffer): boolean {
  return message.length >= LONG_MESSAGE_BYTES || exceeds(message, SOME);
}

/** Returns whether a JSON body has so many values that reading, translating and writing it takes over ten milliseconds. */
export function hasManyValues(body: Buffer): boolean {
  return exceeds(body, MANY);
}

function exceeds(body: Buffer, { containers, values }: Bound): boolean {
  if (body.length < CONTAINER_MIN_BYTES * containers) return false;
  const { size, excess } = measureBody(body);
  // A refused body costs no more than this check.
  return excess === undefined && (size.containers >= containers || size.commas >= values);
}

/** Bytes of an object or list, and of another value, beside its text: measured with objects of one field, and short strings. */
const CONTAINER_BYTES = 60;
const VALUE_BYTES = 40;

/** Returns the bytes that the parsed form of a JSON body takes in addition to its texts; 0 for a short body. */
export function estimateParsedBytes(body: Buffer): number {
  if (body.length < MANY_MIN_BYTES) return 0;
  const { size } = measureBody(body);
  return CONTAINER_BYTES * size.containers + VALUE_BYTES * size.commas;
}

/**
 * Returns the limit that texts exceed together before they are parsed; undefined if none. For `checkJsonSize` they
 * are only strings.
 */
export function findExcess(texts: readonly string[]): string | undefined {
  const size = createEmptySize();
  for (const text of texts) {
    const excess = addSize(size, Buffer.from(text));
    if (excess !== undefined) return excess;
  }
  return undefined;
}

interface Measured {
  size: Size;
  excess: string | undefined;
}

/** Cache, because several steps of a request measure its body, and each scan reads all of it. */
const measuredBodies = new WeakMap<Buffer, Measured>();

function measureBody(body: Buffer): Measured {
  const known = measuredBodies.get(body);
  if (known !== undefined) return known;
  const size = createEmptySize();
  const found = { size, excess: addSize(size, body) };
  // A short body is scanned faster than it is looked up.
  if (body.length >= MANY_MIN_BYTES) measuredBodies.set(body, found);
  return found;
}

interface Size {
  containers: number;
  commas: number;
  members: number;
}

function createEmptySize(): Size {
  return { containers: 0, commas: 0, members: 0 };
}

/** @returns the exceeded limit as the end of a sentence; then `size` is invalid */
function addSize(size: Size, body: Buffer): string | undefined {
  let { containers, commas, members } = size;
  let depth = 0;
  /** Commas of the open object at each depth; undefined for a list. */
  const fields: (number | undefined)[] = [];
  for (let at = findNextStructure(body, 0); at < body.length; at = findNextStructure(body, at)) {
    const byte = body[at];
    if (byte === QUOTE) {
      const end = findStringEnd(body, at);
      if (end - at > FIELD_NAME_MAX + 2 && body[skipBlank(body, end)] === COLON) return longNameExcess;
      at = end;
      continue;
    }
    at++;
    if (byte === COLON) {
      members++;
      if (members > MEMBERS_MAX) return formatExcess(MEMBERS_MAX, 'fields');
    } else if (byte === COMMA) {
      commas++;
      if (commas >= VALUES_MAX) return formatExcess(VALUES_MAX, 'values');
      const known = fields[depth];
      if (known === undefined) continue;
      if (known + 2 > FIELDS_MAX) return formatExcess(FIELDS_MAX, 'fields in an object');
      fields[depth] = known + 1;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth++;
      containers++;
      fields[depth] = byte === OPEN_BRACE ? 0 : undefined;
      if (depth > DEPTH_MAX) return `is nested deeper than ${DEPTH_MAX} levels`;
      if (containers > CONTAINERS_MAX) return formatExcess(CONTAINERS_MAX, 'objects and lists');
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--;
    else return longScalarExcess;
  }
  const added = members - size.members;
  if (added > SHAPES_MAX && hasManyShapes(body.toString('latin1'))) return manyNamesExcess;
  Object.assign(size, { containers, commas, members });
  return undefined;
}

/** Returns the index of the next structural byte, or of a byte before which a number or blanks are too long. */
function findNextStructure(body: Buffer, from: number): number {
  const end = Math.min(body.length, from + SCALAR_MAX);
  let at = from;
  while (at < end && isStructure[body[at] ?? 0] === 0) at++;
  return at;
}

const longScalarExcess = `has more than ${SCALAR_MAX.toLocaleString('en')} digits or blanks in a row. Shorten them`;
const longNameExcess = `has a field name of more than ${FIELD_NAME_MAX.toLocaleString('en')} bytes. Shorten it`;

const manyNamesExcess = `has more than ${SHAPES_MAX.toLocaleString('en')} different combinations of field names. Send fewer`;

function formatExcess(most: number, what: string): string {
  return `has more than ${most.toLocaleString('en')} ${what}. Send fewer`;
}
