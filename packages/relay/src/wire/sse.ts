import { BytePieces } from './byte-pieces.ts';

/**
 * Server-sent events as bytes. Lines end with LF or CRLF. A lone CR, which the standard also allows, counts as
 * content, because no vendor uses it.
 */
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
/** Maximum bytes of an event's end that can span two chunks (LF CR LF, after the line's own LF). */
const SEAM_BYTES = 3;
const NEAR_BYTES = 16;

const none = Buffer.alloc(0);

/**
 * Splitter of chunks into runs of whole events. In the common case (a chunk ends with its event) nothing is copied.
 */
export class SseSplitter {
  readonly #rest = new BytePieces();
  #restLines = 0;
  #seam = none;

  /** Bytes of an incomplete event. */
  get heldBytes(): number {
    return this.#rest.length;
  }

  /** Lines of an incomplete event. */
  get heldLines(): number {
    return this.#restLines;
  }

  /** Returns all events that this chunk completes as one run of bytes, possibly empty. */
  push(chunk: Buffer): Buffer {
    if (this.#rest.length === 0) {
      const end = endOfLastEvent(chunk);
      if (end === chunk.length) return chunk;
      this.#hold(chunk.subarray(end));
      return chunk.subarray(0, end);
    }
    const end = endOfLastEvent(chunk) || this.#endAtSeam(chunk);
    if (end === 0) {
      this.#hold(chunk);
      return none;
    }
    this.#rest.push(chunk.subarray(0, end));
    const events = this.#rest.whole();
    this.#release();
    this.#hold(chunk.subarray(end));
    return events;
  }

  /** Returns the rest of a stream that ended without the empty line after its last event. */
  end(): Buffer {
    const rest = this.#rest.whole();
    this.#release();
    return rest;
  }

  /** Returns the index in the chunk after an empty line that started before it; 0 without one. */
  #endAtSeam(chunk: Buffer): number {
    const around = Buffer.concat([this.#seam, chunk.subarray(0, SEAM_BYTES)]);
    return Math.max(0, endOfLastEvent(around) - this.#seam.length);
  }

  #hold(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#rest.push(bytes);
    this.#restLines += lineFeedsIn(bytes);
    this.#seam = Buffer.concat([this.#seam, bytes.subarray(-SEAM_BYTES)]).subarray(-SEAM_BYTES);
  }

  #release(): void {
    this.#rest.clear();
    this.#restLines = 0;
    this.#seam = none;
  }
}

function lineFeedsIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) count++;
  return count;
}

/** Returns the index after the last empty line; 0 without one. */
function endOfLastEvent(bytes: Buffer): number {
  for (let at = lastLineFeed(bytes, bytes.length - 1); at > 0; at = lastLineFeed(bytes, at - 1)) {
    if (bytes[at - 1] === LINE_FEED) return at + 1;
    if (bytes[at - 1] === CARRIAGE_RETURN && bytes[at - 2] === LINE_FEED) return at + 1;
  }
  return 0;
}

/** Returns the last line feed. Most runs end with one; a native search follows if none is near. */
function lastLineFeed(bytes: Buffer, from: number): number {
  const near = Math.max(0, from - NEAR_BYTES);
  for (let at = from; at >= near; at--) if (bytes[at] === LINE_FEED) return at;
  return near === 0 ? -1 : bytes.lastIndexOf(LINE_FEED, near);
}

/** Returns whether the data is OpenAI's end of a stream, which is not JSON. */
export function isDoneMarker(data: string): boolean {
  return data.trim() === '[DONE]';
}

export interface SseEvent {
  /** Value of the `event` field; empty without one. */
  name: string;
  data: string;
}

/** Returns the events with data in a run of whole events; skips comments and other fields. */
export function parseSseEvents(events: Buffer, encoding: 'utf8' | 'latin1' = 'utf8'): SseEvent[] {
  const all: SseEvent[] = [];
  let name = '';
  let data: string | undefined;
  for (const raw of events.toString(encoding).split('\n')) {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    if (line === '') {
      if (data !== undefined) all.push({ name, data });
      name = '';
      data = undefined;
    } else if (line.startsWith('data:')) {
      const value = fieldValue(line, 'data:');
      data = data === undefined ? value : `${data}\n${value}`;
    } else if (line.startsWith('event:')) name = fieldValue(line, 'event:');
  }
  if (data !== undefined) all.push({ name, data });
  return all;
}

function fieldValue(line: string, field: string): string {
  return line.slice(line[field.length] === ' ' ? field.length + 1 : field.length);
}

/** @param name event name; empty for none */
export function formatSseEvent(name: string, json: unknown): Buffer {
  return Buffer.from(`${name === '' ? '' : `event: ${name}\n`}data: ${JSON.stringify(json)}\n\n`);
}

/** Yields the bytes of each event, with its empty line. */
export function* splitEvents(bytes: Buffer): Generator<Buffer> {
  let from = 0;
  for (let at = bytes.indexOf(LINE_FEED, from); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) {
    const isBlank = bytes[at + 1] === LINE_FEED || (bytes[at + 1] === CARRIAGE_RETURN && bytes[at + 2] === LINE_FEED);
    if (!isBlank) continue;
    at += bytes[at + 1] === LINE_FEED ? 1 : 2;
    yield bytes.subarray(from, at + 1);
    from = at + 1;
  }
  if (from < bytes.length) yield bytes.subarray(from);
}
