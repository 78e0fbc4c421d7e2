import type { ClientRequest } from './client-request.ts';
import type { AnswerReader } from './exchange.ts';
import type { StreamTap, TapFactory } from './format.ts';
import { contentTypeOf } from './framing.ts';
import { Tally } from './meter.ts';
import { noBytes } from './no-bytes.ts';
import type { Target } from './provider.ts';
import { StreamGate } from './stream-gate.ts';
import { EventScanner } from './wire/event-scan.ts';
import { isEndMark, sseEvents } from './wire/sse.ts';

/**
 * Hands a stream on as it comes, in whole events, and reads it on the side. Only events that report usage, an
 * end or an error are parsed; the rest is scanned for how much was written.
 */
export class PassThroughReader implements AnswerReader {
  readonly contentType = contentTypeOf('sse');
  readonly meter: Tally;
  /** Everything reaches the client. */
  readonly dropped: readonly string[] = [];
  readonly #scanner: EventScanner;
  readonly #tap: StreamTap;
  readonly #gate: StreamGate;
  readonly #endsWithDone: boolean;
  /** Byte ranges of the current run that the client must not see. */
  #withheld: (readonly [number, number])[] = [];

  constructor(factory: TapFactory, { json, facts }: ClientRequest, target: Target) {
    this.#scanner = new EventScanner(factory.watch);
    this.meter = new Tally(this.#scanner);
    this.#tap = factory.create(json, facts.choices);
    this.#endsWithDone = factory.endsWithDone;
    this.#gate = new StreamGate(this.meter, target);
  }

  push(chunk: Buffer): Buffer {
    return this.#read(this.#gate.push(chunk));
  }

  end(): Buffer {
    const last = this.#read(this.#gate.end());
    this.#gate.verdict();
    return last;
  }

  #read(events: Buffer): Buffer {
    const { meter } = this;
    if (events.length === 0 || meter.error !== undefined) return noBytes;
    const scanner = this.#scanner;
    this.#withheld = [];
    scanner.scan(events, (start, end) => this.#readEvent(events, start, end));
    meter.deliveredCharacters = scanner.characters + (this.#tap.characters ?? 0);
    meter.deliveredWideCharacters = scanner.wideCharacters;
    meter.usage = this.#tap.usage;
    meter.finished ||= this.#tap.finished;
    return this.#withheld.length === 0 ? events : without(events, this.#withheld);
  }

  /** @returns false behind the vendor's error */
  #readEvent(events: Buffer, start: number, end: number): boolean {
    for (const event of sseEvents(events.subarray(start, end))) {
      if (isEndMark(event.data)) {
        this.meter.finished ||= this.#endsWithDone;
        continue;
      }
      const json = this.#gate.parse(event);
      // The gateway writes its own error; of the vendor's stream nothing more is shown. Nor is what is no event of the
      // dialect: no client could read it.
      if (this.meter.error !== undefined) {
        this.#withheld.push([start, events.length]);
        return false;
      }
      if (json === undefined || !this.#tap.note(json)) this.#withheld.push([start, end]);
    }
    return true;
  }
}

function without(events: Buffer, ranges: readonly (readonly [number, number])[]): Buffer {
  const pieces: Buffer[] = [];
  let copied = 0;
  for (const [start, end] of ranges) {
    pieces.push(events.subarray(copied, start));
    copied = Math.max(copied, end);
  }
  pieces.push(events.subarray(copied));
  return Buffer.concat(pieces);
}
