import { findEmbeddedError } from '../errors/errors-in-successful-responses.ts';
import { readEmbeddedError } from '../errors/read-upstream-error.ts';
import { HELD_BYTES_MAX } from '../errors/response-limits.ts';
import { cutStreamError, garbledError, tooLargeError } from '../errors/upstream-error.ts';
import { emptyBuffer, isObject, type JsonObject, parseResponseJson } from '../json/json.ts';
import type { Target } from '../model/provider.ts';
import type { WritableMeter } from '../model/usage-meter.ts';
import { ByteOrderMarkFilter } from '../wire/byte-order-mark.ts';
import { type SseEvent, SseSplitter } from '../wire/sse.ts';
import { ResponseBody } from './buffered-response-body.ts';

/** Maximum lines of one event. Each becomes a string when the event is read: 60 million would exhaust the memory. */
const LINES_MAX = 100_000;

/**
 * Common base of the stream readers: it splits chunks into whole events, detects the vendor's errors, and checks that
 * the response is complete.
 */
export class BaseStreamReader {
  /** Undefined until the first non-blank byte shows whether this is a stream, or a plain body instead. */
  #isStream: boolean | undefined;
  readonly #start = new ByteOrderMarkFilter();
  readonly #splitter = new SseSplitter();
  readonly #body = new ResponseBody();
  readonly #meter: WritableMeter;
  readonly #target: Target;

  constructor(meter: WritableMeter, target: Target) {
    this.#meter = meter;
    this.#target = target;
  }

  /** Bytes of an incomplete event, or of a plain body. */
  get heldBytes(): number {
    return this.#splitter.heldBytes + this.#body.heldBytes;
  }

  /**
   * Returns the events that this chunk completes. Keeps a plain body for the end.
   * @throws UpstreamError `garbled` when an event, or the plain body, is too large
   */
  push(chunk: Buffer): Buffer {
    return this.#read(this.#start.push(chunk));
  }

  #read(chunk: Buffer): Buffer {
    this.#isStream ??= startsAsStream(chunk);
    if (this.#isStream === false) {
      this.#body.push(chunk);
      return emptyBuffer;
    }
    const events = this.#splitter.push(chunk);
    const { heldBytes, heldLines } = this.#splitter;
    if (heldBytes > HELD_BYTES_MAX || heldLines > LINES_MAX)
      throw tooLargeError('The upstream sent an event that is too large.');
    return events;
  }

  /** Returns the bytes after the last whole event. @throws UpstreamError if the body was not a stream */
  end(): Buffer {
    const rest = this.#read(this.#start.end());
    if (this.#isStream !== false) return Buffer.concat([rest, this.#splitter.end()]);
    this.#body.read(this.#target);
    throw garbledError('The upstream did not stream its response.');
  }

  /** Returns an event's data; undefined if it is not an object. Keeps a vendor's error in the meter. */
  parse({ name, data }: SseEvent): JsonObject | undefined {
    const json = parseResponseJson(data);
    const isNamedError = name === 'error';
    this.#meter.error =
      findEmbeddedError(json, this.#target) ??
      (isNamedError ? readEmbeddedError(json ?? data, this.#target) : undefined);
    return isObject(json) ? json : undefined;
  }

  /** Checks the response after everything is read. @throws UpstreamError when it is incomplete */
  checkComplete(): void {
    if (this.#meter.error !== undefined) throw this.#meter.error;
    if (!this.#meter.finished) throw cutStreamError();
  }
}

/** Returns whether this is a stream; undefined after white space only. */
function startsAsStream(chunk: Buffer): boolean | undefined {
  for (const byte of chunk) {
    if (byte <= 32) continue;
    // `{`, `[` and `<` open JSON and HTML; a stream begins with a field name or a colon.
    return byte !== 0x7b && byte !== 0x5b && byte !== 0x3c;
  }
  return undefined;
}
