import type { AnswerEvent } from './conversation.ts';
import { DroppedNames } from './dropped-fields.ts';
import type { AnswerReader, ClientRequest } from './exchange.ts';
import { binaryOf, type ChatFormat, type StreamDecoder, type StreamEncoder } from './format.ts';
import { contentTypeOf } from './framing.ts';
import { Tally } from './meter.ts';
import { noBytes } from './no-bytes.ts';
import type { Secrets } from './redact.ts';
import { StreamGate } from './stream-gate.ts';
import { isEndMark, type SseEvent, sseEvents } from './wire/sse.ts';

/** Turns a stream of one chat dialect into a stream of another. */
export class TranslatingReader implements AnswerReader {
  readonly contentType = contentTypeOf('sse');
  readonly meter = new Tally();
  readonly #gate: StreamGate;
  readonly #decoder: StreamDecoder;
  readonly #encoder: StreamEncoder;
  readonly #lost = new DroppedNames();

  constructor(from: ChatFormat, to: ChatFormat, request: ClientRequest, secrets: Secrets) {
    this.#decoder = from.createStreamDecoder(this.#lost);
    this.#encoder = to.createStreamEncoder(request, this.#lost);
    this.#gate = new StreamGate(this.meter, secrets);
  }

  get dropped(): readonly string[] {
    return this.#lost.list;
  }

  push(chunk: Buffer): Buffer {
    return this.#translate(this.#gate.push(chunk));
  }

  end(): Buffer {
    const last = this.#translate(this.#gate.end());
    const rest = this.#isOver ? '' : this.#encode(this.#decoder.end(false));
    this.#gate.verdict();
    return Buffer.concat([last, Buffer.from(rest)]);
  }

  /** Nothing follows an end or an error. */
  get #isOver(): boolean {
    return this.meter.finished || this.meter.error !== undefined;
  }

  #translate(events: Buffer): Buffer {
    if (events.length === 0) return noBytes;
    let written = '';
    for (const event of sseEvents(events)) {
      if (this.#isOver) break;
      written += this.#encode(this.#decode(event));
    }
    return written === '' ? noBytes : Buffer.from(written);
  }

  #decode(event: SseEvent): AnswerEvent[] {
    if (isEndMark(event.data)) return this.#decoder.end(true);
    const json = this.#gate.parse(event);
    return json === undefined ? [] : this.#decoder.push(json);
  }

  #encode(events: readonly AnswerEvent[]): string {
    let written = '';
    for (const event of events) {
      this.#note(event);
      written += this.#encoder.push(event);
      if (event.type === 'finish') written += this.#encoder.end();
    }
    return written;
  }

  #note(event: AnswerEvent): void {
    const { meter } = this;
    if (event.type === 'usage') meter.usage = event.usage;
    else if (event.type === 'finish') meter.finished = true;
    else if ('text' in event) meter.addText(event.text);
    else meter.addBinary(binaryOf(event) ?? '');
  }
}
