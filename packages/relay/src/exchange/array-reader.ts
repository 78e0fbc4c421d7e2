import { parseJson } from '../json/json.ts';
import type { Meter } from '../model/dialect.ts';
import { contentTypeOf, type ResponseReader } from '../model/exchange.ts';
import { parseSseEvents } from '../wire/sse.ts';

/** A stream of events as a JSON array that grows by an element a line, each in the bytes that the event had. */
export class ArrayReader implements ResponseReader {
  readonly contentType = contentTypeOf('json-array');
  readonly #events: ResponseReader;
  #isEmpty = true;

  constructor(events: ResponseReader) {
    this.#events = events;
  }

  get meter(): Meter {
    return this.#events.meter;
  }

  get dropped(): readonly string[] {
    return this.#events.dropped;
  }

  get heldBytes(): number {
    return this.#events.heldBytes;
  }

  push(chunk: Buffer): Buffer {
    return this.#elements(this.#events.push(chunk));
  }

  end(): Buffer {
    const last = this.#elements(this.#events.end());
    return Buffer.concat([last, Buffer.from(this.#isEmpty ? '[]' : '\n]')]);
  }

  #elements(events: Buffer): Buffer {
    // As Latin-1 each byte is a character, and comes back as it was. One that is no JSON would spoil the whole array.
    const elements = parseSseEvents(events, 'latin1').flatMap(({ data }) =>
      parseJson(data) === undefined ? [] : [`${this.#separator()}${data}`],
    );
    return Buffer.from(elements.join(''), 'latin1');
  }

  #separator(): string {
    const separator = this.#isEmpty ? '[' : '\n,';
    this.#isEmpty = false;
    return separator;
  }
}

/** Returns the final element and the end of such an array, with its beginning if this element is the first. */
export function encodeLastElement(json: string, isFirst: boolean): string {
  return `${isFirst ? '[' : '\n,'}${json}\n]`;
}
