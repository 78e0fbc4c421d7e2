import { cutStream, garbled, HELD_BYTES_MAX, overloaded } from './answer-errors.ts';
import type { AnswerEvent } from './conversation.ts';
import type { AnswerReader } from './exchange.ts';
import type { ChatFormat, StreamDecoder, StreamEncoder } from './format.ts';
import type { JsonObject } from './json.ts';
import { Tally } from './meter.ts';
import { noBytes } from './no-bytes.ts';
import { redact, type Secrets } from './redact.ts';
import { StreamGate } from './stream-gate.ts';
import { eventData, SseSplitter } from './wire/sse.ts';

/** Turns a stream of one chat dialect into a stream of another. */
export class TranslatingReader implements AnswerReader {
  readonly contentType = 'text/event-stream; charset=utf-8';
  readonly meter = new Tally();
  readonly #splitter = new SseSplitter();
  readonly #gate: StreamGate;
  readonly #decoder: StreamDecoder;
  readonly #encoder: StreamEncoder;
  readonly #secrets: Secrets;

  constructor(from: ChatFormat, to: ChatFormat, request: JsonObject, secrets: Secrets) {
    this.#decoder = from.createStreamDecoder();
    this.#encoder = to.createStreamEncoder(request);
    this.#secrets = secrets;
    this.#gate = new StreamGate(this.meter, secrets);
  }

  push(chunk: Buffer): Buffer {
    if (!this.#gate.admits(chunk)) return noBytes;
    const events = this.#splitter.push(chunk);
    if (this.#splitter.heldBytes > HELD_BYTES_MAX) throw garbled('The upstream sent an event without end.');
    return this.#translate(events);
  }

  end(): Buffer {
    this.#gate.end();
    const last = this.#translate(this.#splitter.end());
    const rest = this.#encode(this.#decoder.end());
    if (this.meter.error !== undefined) throw overloaded({ code: undefined, ...this.meter.error });
    if (!this.meter.finished) throw cutStream();
    return Buffer.concat([last, rest]);
  }

  #translate(events: Buffer): Buffer {
    if (events.length === 0) return noBytes;
    return this.#encode(eventData(events).flatMap((data) => this.#decoder.push(data)));
  }

  #encode(events: readonly AnswerEvent[]): Buffer {
    let written = '';
    for (const event of events) {
      // Nothing follows an end or an error.
      if (this.meter.finished || this.meter.error !== undefined) break;
      this.#note(event);
      if (event.type !== 'error') written += this.#encoder.push(event);
      if (event.type === 'finish') written += this.#encoder.end();
    }
    return written === '' ? noBytes : Buffer.from(written);
  }

  #note(event: AnswerEvent): void {
    const { meter } = this;
    if (event.type === 'usage') meter.usage = event.usage;
    else if (event.type === 'finish') meter.finished = true;
    else if (event.type === 'error') {
      meter.error = { message: redact(event.message, this.#secrets), code: event.code ?? event.kind };
    } else if ('text' in event) {
      meter.addText(event.text);
    }
  }
}
