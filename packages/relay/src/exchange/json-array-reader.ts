import { parseResponseJson } from '../json/json.ts';
import { contentTypeOf } from '../model/client-request.ts';
import type { Meter } from '../model/dialect.ts';
import type { ResponseReader } from '../model/upstream-exchange.ts';
import { parseSseEvents } from '../wire/sse.ts';

/**
 * Reader that converts a stream of events to a growing JSON array with one element per line, each in the event's
 * original bytes.
 */
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
    // Latin-1 maps each byte to one character and back. Invalid JSON would break the whole array.
    const elements = parseSseEvents(events, 'latin1').flatMap(({ data }) =>
      isJson(data) ? [`${this.#separator()}${data}`] : [],
    );
    return Buffer.from(elements.join(''), 'latin1');
  }

  #separator(): string {
    const separator = this.#isEmpty ? '[' : '\n,';
    this.#isEmpty = false;
    return separator;
  }
}

/** Returns whether the client can parse a text; the parser of responses also reads some invalid ones. */
function isJson(text: string): boolean {
  if (parseResponseJson(text) === undefined) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns the last element and the end of such an array, and its start if this element is the first. */
export function encodeLastElement(json: string, isFirst: boolean): string {
  return `${isFirst ? '[' : '\n,'}${json}\n]`;
}
