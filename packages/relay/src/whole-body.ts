import { embeddedError, garbled, HELD_BYTES_MAX } from './answer-errors.ts';
import { isObject, type JsonObject, parseJson, parseToolJson } from './json.ts';
import type { Target } from './provider.ts';
import type { UpstreamError } from './upstream-error.ts';
import { withoutByteOrderMark } from './wire/byte-order-mark.ts';

/** Collects an answer that only makes sense as a whole. */
export class WholeBody {
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  push(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > HELD_BYTES_MAX) throw garbled('The upstream sent a larger answer than is accepted.');
    this.#chunks.push(chunk);
  }

  get bytes(): Buffer {
    const [first] = this.#chunks;
    return this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks);
  }

  /** @throws UpstreamError when the body is not a JSON object or is an error. */
  read(target: Target): { bytes: Buffer; json: JsonObject } {
    const bytes = withoutByteOrderMark(this.bytes);
    const json = parseJson(bytes.toString('utf8'));
    const error = embeddedError(json, target);
    if (error !== undefined) throw error;
    if (!isObject(json)) throw notAnObject();
    return { bytes, json };
  }

  /**
   * Returns the answer to an order, whose id may be a long integer. It may be an error.
   * @throws UpstreamError when the body is not a JSON object
   */
  readOrder(target: Target): JsonObject {
    const json = parseToolJson(this.bytes.toString('utf8'));
    if (isObject(json)) return json;
    throw embeddedError(json, target) ?? notAnObject();
  }
}

function notAnObject(): UpstreamError {
  return garbled('The upstream sent an answer that is not a JSON object.');
}
