import { embeddedError, garbled, HELD_BYTES_MAX } from './answer-errors.ts';
import { isObject, type JsonObject, parseJson } from './json.ts';
import type { Target } from './provider.ts';
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
    if (!isObject(json)) throw garbled('The upstream sent an answer that is not a JSON object.');
    return { bytes, json };
  }
}
