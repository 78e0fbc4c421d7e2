import { InvalidRequest } from './format.ts';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  stringEnd,
} from './json-bytes.ts';

/** Parsed, an empty object takes twenty times the three bytes that it has as text. Agents send some thousands. */
const CONTAINERS_MAX = 100_000;
/** The largest batch of prompts that a vendor takes as token numbers has 300,000 (OpenAI, embeddings). */
const VALUES_MAX = 1_000_000;
/** No request that a person or an agent writes is nested deeper; tool schemas reach about twenty. */
const DEPTH_MAX = 64;

/** Whether a byte means anything here: one look instead of six comparisons, which halves the time. */
const isStructure = new Uint8Array(256);
for (const byte of [QUOTE, COMMA, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE])
  isStructure[byte] = 1;

/**
 * Looks at a body that nobody has parsed yet, because the parsed form is what fills the memory. Costs about a
 * nanosecond for a byte, and next to nothing for one of a long string.
 * @returns the commas at the top level, one less than there are members as they are written
 * @throws InvalidRequest
 */
export function checkJsonSize(body: Buffer): number {
  let containers = 0;
  let commas = 0;
  let topCommas = 0;
  let depth = 0;
  for (let at = nextStructure(body, 0); at < body.length; at = nextStructure(body, at)) {
    const byte = body[at];
    if (byte === QUOTE) {
      at = stringEnd(body, at);
      continue;
    }
    at++;
    if (byte === COMMA) {
      commas++;
      if (depth === 1) topCommas++;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth++;
      containers++;
      if (depth > DEPTH_MAX)
        throw new InvalidRequest(`The request is nested deeper than ${DEPTH_MAX} levels.`);
      if (containers > CONTAINERS_MAX) throw tooMany(CONTAINERS_MAX, 'objects and lists');
    } else depth--;
  }
  if (commas >= VALUES_MAX) throw tooMany(VALUES_MAX, 'values');
  return topCommas;
}

function nextStructure(body: Buffer, from: number): number {
  const { length } = body;
  let at = from;
  while (at < length && isStructure[body[at] ?? 0] === 0) at++;
  return at;
}

function tooMany(most: number, what: string): InvalidRequest {
  return new InvalidRequest(`The request has more than ${most.toLocaleString('en')} ${what}.`);
}
