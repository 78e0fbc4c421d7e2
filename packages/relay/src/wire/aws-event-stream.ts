/**
 * Messages of AWS's binary event streams, and a reader of the events that they carry:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html, "Overview of the event stream encoding".
 */
import { crc32 } from 'node:zlib';
import { HELD_BYTES_MAX } from '../errors/response-limits.ts';
import { garbledError, type UpstreamError } from '../errors/upstream-error.ts';
import { objectOf, parseJson, textOf } from '../json/json.ts';
import type { Meter } from '../model/dialect.ts';
import type { ResponseReader } from '../model/upstream-exchange.ts';
import { BytePieces } from './byte-pieces.ts';

/** AWS's media type for its event stream framing. */
export const EVENT_STREAM_TYPE = 'application/vnd.amazon.eventstream';

interface EventStreamMessage {
  /** Text values by name. */
  headers: Readonly<Record<string, string>>;
  payload: Buffer;
}

/** Total length, headers' length, and checksum of both. */
const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
/** AWS's maximum, without which a message could have millions of headers. */
const HEADERS_MAX_BYTES = 131_072;
const TEXT_TYPE = 7;
/** Types of header values that have a length prefix: bytes and text. */
const lengthTypes: ReadonlySet<number> = new Set([6, TEXT_TYPE]);
/** Bytes of the other types: true, false, byte, short, integer, long, –, –, timestamp, UUID. */
const valueBytes: readonly (number | undefined)[] = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16];

/** Splitter of chunks into whole messages. */
export class EventStreamSplitter {
  readonly #held = new BytePieces();
  /** Minimum number of bytes before the next message can be complete. */
  #wanted = PRELUDE_BYTES;
  readonly #maxBytes: number;

  /** @param maxBytes maximum bytes of one message */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get heldBytes(): number {
    return this.#held.length;
  }

  /**
   * Yields the messages that this chunk completes one by one, so that messages before a broken one are delivered.
   * @throws RangeError when the data is no such message, or a message is too long
   */
  *push(chunk: Buffer): Generator<EventStreamMessage, void> {
    this.#held.push(chunk);
    if (this.#held.length < this.#wanted) return;
    let bytes = this.#held.whole();
    this.#wanted = this.#lengthOf(bytes);
    while (bytes.length >= this.#wanted) {
      yield readMessage(bytes.subarray(0, this.#wanted));
      bytes = bytes.subarray(this.#wanted);
      this.#wanted = this.#lengthOf(bytes);
    }
    this.#held.clear();
    this.#held.push(bytes);
  }

  /** Returns the length of the message at the start, or of its prelude if that is incomplete. */
  #lengthOf(bytes: Buffer): number {
    if (bytes.length < PRELUDE_BYTES) return PRELUDE_BYTES;
    const length = bytes.readUInt32BE(0);
    if (length < PRELUDE_BYTES + CHECKSUM_BYTES || length > this.#maxBytes)
      throw new RangeError(`a message with the invalid length ${length}`);
    return length;
  }
}

function readMessage(message: Buffer): EventStreamMessage {
  const end = message.length - CHECKSUM_BYTES;
  const headersBytes = message.readUInt32BE(4);
  if (headersBytes > HEADERS_MAX_BYTES) throw new RangeError(`a message with ${headersBytes} bytes of headers`);
  const headersEnd = PRELUDE_BYTES + headersBytes;
  const isWhole =
    headersEnd <= end &&
    crc32(message.subarray(0, PRELUDE_BYTES - CHECKSUM_BYTES)) === message.readUInt32BE(8) &&
    crc32(message.subarray(0, end)) === message.readUInt32BE(end);
  if (!isWhole) throw new RangeError('a message with an invalid checksum');
  return {
    headers: readHeaders(message.subarray(PRELUDE_BYTES, headersEnd)),
    payload: message.subarray(headersEnd, end),
  };
}

/** @throws RangeError when a header exceeds the headers' length */
function readHeaders(bytes: Buffer): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at < bytes.length; ) {
    const nameEnd = at + 1 + bytes.readUInt8(at);
    const name = bytes.toString('utf8', at + 1, nameEnd);
    const type = bytes.readUInt8(nameEnd);
    const start = nameEnd + (lengthTypes.has(type) ? 3 : 1);
    const length = lengthTypes.has(type) ? bytes.readUInt16BE(nameEnd + 1) : valueBytes[type];
    if (length === undefined || start + length > bytes.length) throw new RangeError('a truncated header');
    if (type === TEXT_TYPE) headers[name] = bytes.toString('utf8', start, start + length);
    at = start + length;
  }
  return headers;
}

/** Reader of a stream in AWS's framing, which extracts its events. */
export class EventStreamReader implements ResponseReader {
  readonly #events: ResponseReader;
  readonly #splitter = new EventStreamSplitter(HELD_BYTES_MAX);
  #broken: UpstreamError | undefined;

  constructor(events: ResponseReader) {
    this.#events = events;
  }

  get contentType(): string {
    return this.#events.contentType;
  }

  get meter(): Meter {
    return this.#events.meter;
  }

  get dropped(): readonly string[] {
    return this.#events.dropped;
  }

  get heldBytes(): number {
    return this.#splitter.heldBytes + this.#events.heldBytes;
  }

  /** Reads a chunk. Events before a broken message reach the client and are metered before the error is thrown. */
  push(chunk: Buffer): Buffer {
    const bytes = this.#events.push(Buffer.from(this.#read(chunk)));
    if (this.#broken !== undefined && bytes.length === 0) throw this.#broken;
    return bytes;
  }

  end(): Buffer {
    if (this.#broken !== undefined && !this.meter.finished) throw this.#broken;
    return this.#events.end();
  }

  #read(chunk: Buffer): string {
    let events = '';
    if (this.#broken !== undefined) return events;
    try {
      for (const message of this.#splitter.push(chunk)) events += asEvent(message);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#broken = garbledError(`The upstream’s stream contains ${error.message}.`);
    }
    return events;
  }
}

/**
 * Converts Bedrock's messages to server-sent events. The event of another dialect's model is in `bytes`
 * (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ResponseStream.html); Converse's own events
 * have names.
 */
function asEvent({ headers, payload }: EventStreamMessage): string {
  const json = objectOf(parseJson(payload.toString('utf8')));
  const exception = headers[':exception-type'] ?? headers[':error-code'];
  if (exception !== undefined) {
    const message = textOf(json['message']) ?? headers[':error-message'] ?? exception;
    return sse('error', { type: 'error', error: { type: exception, message } });
  }
  const inner = textOf(json['bytes']);
  if (inner === undefined) return sse('', { [headers[':event-type'] ?? 'unknown']: json });
  const own = objectOf(parseJson(Buffer.from(inner, 'base64').toString('utf8')));
  return sse(textOf(own['type']) ?? '', own);
}

function sse(name: string, data: object): string {
  return `${name === '' ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}
