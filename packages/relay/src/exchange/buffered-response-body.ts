import { findEmbeddedError } from '../errors/errors-in-successful-responses.ts';
import { HELD_BYTES_MAX } from '../errors/response-limits.ts';
import { garbledError, tooLargeError, type UpstreamError } from '../errors/upstream-error.ts';
import {
  DEPTH_MAX,
  exceededLimit,
  hasTooMuchStructure,
  isBrokenStart,
  isObject,
  type JsonObject,
  OPEN_BRACE,
  OPEN_BRACKET,
  parseJson,
  parseResponseJson,
  parseToolJson,
  SCALAR_MAX,
} from '../json/json.ts';
import { type Condensed, condenseJson, detachVectors } from '../json/json-condense-and-detach.ts';
import { skipBlank } from '../json/scan-json-bytes.ts';
import type { Target } from '../model/provider.ts';
import { withoutByteOrderMark } from '../wire/byte-order-mark.ts';
import { BytePieces } from '../wire/byte-pieces.ts';

export interface ParsedBody {
  bytes: Buffer;
  json: JsonObject;
  /** Base64 characters that `json` lacks. */
  cutCharacters: number;
  /** Vectors of which `json` contains only the indexes. */
  vectors?: readonly Buffer[];
}

/** Minimum bytes of a body for which scanning is faster than parsing. */
const SKIMMED_BYTES_MIN = 1_048_576;
/** Bytes of a longer body in which a fault is found before the rest is scanned. */
const START_BYTES = 65_536;

/** Collector of a response that can only be read as a whole. */
export class ResponseBody {
  readonly #pieces = new BytePieces();
  readonly #maxBytes: number;

  constructor(maxBytes = HELD_BYTES_MAX) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    this.#pieces.push(chunk);
    if (this.heldBytes > this.#maxBytes) throw tooLargeError('The upstream sent a response that is too large.');
  }

  get heldBytes(): number {
    return this.#pieces.length;
  }

  get bytes(): Buffer {
    return this.#pieces.whole();
  }

  /** @throws UpstreamError when the body is not a JSON object or is an error */
  read(target: Target): ParsedBody {
    const bytes = this.#readJsonBytes();
    // Only vectors and base64 of a larger body are parsed in time.
    if (bytes.length > HELD_BYTES_MAX) condense(bytes);
    const text = bytes.toString('utf8');
    return { bytes, json: checkJson(parseJson(text), text, target), cutCharacters: 0 };
  }

  /**
   * Reads a body that reaches the client unchanged: most of the vectors and base64 of a large body are missing in the
   * result, and so are its deepest objects and lists if there are too many.
   * @throws UpstreamError when the body is not a JSON object or is an error
   */
  skim(target: Target): ParsedBody {
    if (this.heldBytes < SKIMMED_BYTES_MIN) return this.read(target);
    const bytes = this.#readJsonBytes();
    const { text, cutCharacters } = condense(bytes);
    return { bytes, json: checkJson(parseResponseJson(text), text, target), cutCharacters };
  }

  /**
   * Reads an embeddings response, whose vectors are translated one by one.
   * @throws UpstreamError when the body is not a JSON object or is an error
   */
  detachVectors(target: Target): ParsedBody {
    const bytes = this.#readJsonBytes();
    const detached = detachVectors(bytes);
    if (detached === undefined) throw tooLargeError('The upstream sent an embedding that is too large.');
    const { text, vectors } = detached;
    return { bytes, json: checkJson(parseJson(text), text, target), cutCharacters: 0, vectors };
  }

  /**
   * Returns the response to a task submission, which may be an error, and whose id may be a long integer.
   * @throws UpstreamError when the body is not a JSON object
   */
  readSubmissionResponse(target: Target): JsonObject {
    const json = parseToolJson(this.#readJsonBytes().toString('utf8'));
    if (isObject(json)) return json;
    throw findEmbeddedError(json, target) ?? notAnObjectError();
  }

  /** @throws UpstreamError when the body cannot be an object or a list, before all of it is scanned */
  #readJsonBytes(): Buffer {
    const bytes = withoutByteOrderMark(this.bytes);
    const first = bytes[skipBlank(bytes.subarray(0, SCALAR_MAX), 0)];
    const isContainer = first === OPEN_BRACE || first === OPEN_BRACKET;
    const isLong = bytes.length >= SKIMMED_BYTES_MIN;
    if (isContainer && !(isLong && isBrokenStart(bytes.toString('latin1', 0, START_BYTES)))) return bytes;
    throw notAnObjectError();
  }
}

/** @throws UpstreamError when the body is too large without its vectors and base64 */
function condense(bytes: Buffer): Condensed {
  const condensed = condenseJson(bytes, HELD_BYTES_MAX);
  if (condensed === undefined) throw tooLargeError('The upstream sent a response that is too large.');
  return condensed;
}

/** @throws UpstreamError */
function checkJson(json: unknown, text: string, target: Target): JsonObject {
  const error = findEmbeddedError(json, target);
  if (error !== undefined) throw error;
  if (isObject(json)) return json;
  // Long integers are looked for by recursion, which ends at some thousand levels.
  const isTooDeep = (): boolean =>
    exceededLimit(text, { depth: DEPTH_MAX, values: Number.POSITIVE_INFINITY }) !== undefined;
  throw hasTooMuchStructure(text) || isTooDeep()
    ? tooLargeError('The upstream sent a response with too many values, levels or blanks.')
    : notAnObjectError();
}

function notAnObjectError(): UpstreamError {
  return garbledError('The upstream sent a response that is not a JSON object.');
}
