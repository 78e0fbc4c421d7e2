import { garbled, HELD_BYTES_MAX } from '../errors/answer-errors.ts';
import type { UpstreamError } from '../errors/upstream-error.ts';
import { objectOf, parseJson, textOf } from '../json/json.ts';
import type { AnswerReader } from '../model/exchange.ts';
import type { Meter } from '../model/format.ts';
import { type EventStreamMessage, EventStreamSplitter } from '../wire/aws-event-stream.ts';

/** AWS's media type for its own framing. */
export const EVENT_STREAM_TYPE = 'application/vnd.amazon.eventstream';

/** Reads a stream in AWS's framing as the events that stand in it. */
export class EventStreamReader implements AnswerReader {
  readonly #events: AnswerReader;
  readonly #splitter = new EventStreamSplitter(HELD_BYTES_MAX);
  #broken: UpstreamError | undefined;

  constructor(events: AnswerReader) {
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
      this.#broken = garbled(`The upstream’s stream contains ${error.message}.`);
    }
    return events;
  }
}

/**
 * Bedrock's messages as server-sent events: what a model of another dialect wrote stands in `bytes`
 * (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ResponseStream.html), Converse's own are named.
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
