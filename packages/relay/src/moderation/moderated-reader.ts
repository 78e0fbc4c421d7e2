/**
 * Response whose texts are moderated before the client gets them, regardless of the boundaries of chunks and events.
 */
import { hash } from 'node:crypto';
import { PARSE_FACTOR } from '../errors/response-limits.ts';
import { tooLargeError } from '../errors/upstream-error.ts';
import { WrappingReader } from '../exchange/wrapping-reader.ts';
import {
  emptyBuffer,
  hasTooMuchStructure,
  isObject,
  type JsonObject,
  numberOf,
  parseJson,
  textOf,
} from '../json/json.ts';
import type { ResponseReader } from '../model/upstream-exchange.ts';
import { BytePieces } from '../wire/byte-pieces.ts';
import { formatSseEvent, parseSseEvents, splitEvents } from '../wire/sse.ts';

/** Check of one text that arrives in pieces. Positions are in UTF-16 code units from the text's start. */
export interface TextCheck {
  push(piece: string): void;
  end(): void;
  /** End of the decided part of the text. */
  readonly decidedLength: number;
  /** Returns the next piece with its redactions. Pieces are passed again in the same order, once they are decided. */
  redactNext(piece: string): string;
}

export interface ResponseCheck {
  /** @param isJson true if the text is JSON itself, in which characters may be escaped */
  begin(isJson: boolean): TextCheck;
  /** True if the response must end; later input is discarded. */
  readonly isRefused: boolean;
}

/** Fields in the client dialects whose strings, at any depth, a model wrote. */
const written: ReadonlySet<string> = new Set([
  'content',
  'reasoning_content',
  'reasoning',
  'refusal',
  'arguments',
  'input',
  'transcript',
  'text',
  'thinking',
  'partial_json',
  'delta',
  'code',
  'output',
  'stringValue',
  'string_value',
  'summary',
  'title',
  'revised_prompt',
]);
/** Fields with objects that the model wrote entirely. */
const own: ReadonlySet<string> = new Set(['input', 'args']);
/** Pattern of text ids whose texts are JSON arguments. */
const jsonText = /arguments|partial_json/;
/** Fields that distinguish the parts of a response. */
const numbers = ['index', 'output_index', 'content_index', 'summary_index'];
/** Characters of other texts after which a text counts as ended. */
const APART = 512;
/** Maximum characters of a text's path. Longer ones, of which an event may have a million, are replaced by a digest. */
const PATH_MAX = 256;
/** Maximum events that wait for the rest of a word; events without texts, such as pings, could wait without end. */
const HELD_MAX = 10_000;
/** Characters that are checked at once: some milliseconds of work. */
const PART_CHARACTERS = 65_536;
/** Characters that are checked in the time in which the check of another text begins. */
const BEGIN_CHARACTERS = 64;
/** Maximum characters of an event's texts, which are checked at once. The longest responses have less than a million. */
const EVENT_CHARACTERS_MAX = 2_097_152;

/** String within an event. */
interface Piece {
  /** Id of the text that the string continues: its path and the indexes on it. */
  textId: string;
  text: string;
  isJson: boolean;
  put(text: string): void;
}

/** Piece of a text that has been pushed. */
interface Span {
  text: Running;
  start: number;
  piece: Piece;
}

interface Held {
  bytes: Buffer;
  json: Record<string, unknown> | undefined;
  name: string;
  /** Strings that are not yet redacted. */
  spans: Span[];
  /** Number of spans that are decided, from the first one. */
  decided: number;
  /** True if `json` differs from `bytes`. */
  isRedacted: boolean;
}

/** Text that continues over several events. */
class Running {
  length = 0;
  /** Characters of all texts at the end of its last piece. */
  lastAt = 0;
  readonly check: TextCheck;

  constructor(check: TextCheck) {
    this.check = check;
  }

  push(piece: Piece): Span {
    const start = this.length;
    this.length += piece.text.length;
    this.check.push(piece.text);
    return { text: this, start, piece };
  }

  end(): void {
    if (this.check.decidedLength < this.length) this.check.end();
  }
}

/**
 * Wrapper of a reader of events, or of a non-streaming response. Bytes are unchanged unless a part of them is
 * redacted.
 */
export class ModeratedReader extends WrappingReader {
  readonly #check: ResponseCheck;
  readonly #isStream: boolean;
  /** Texts by id, the one with the oldest last piece first. */
  readonly #running = new Map<string, Running>();
  /** Characters of all pieces. */
  #characters = 0;
  #held: Held[] = [];
  readonly #whole = new BytePieces();
  #heldEventBytes = 0;
  readonly #moderation = this.#moderate();
  #last: Buffer | undefined;

  /** @param isStream true for a stream of events, false for plain bytes */
  constructor(answer: ResponseReader, check: ResponseCheck, isStream: boolean) {
    super(answer);
    this.#check = check;
    this.#isStream = isStream;
  }

  protected get ownBytes(): number {
    return this.#whole.length + this.#heldEventBytes * PARSE_FACTOR;
  }

  override translatePart(): boolean {
    if (super.translatePart()) return true;
    for (let characters = 0; this.#last === undefined; ) {
      if (characters > PART_CHARACTERS) return true;
      const { done, value } = this.#moderation.next();
      if (done === true) this.#last = value;
      else characters += value;
    }
    return false;
  }

  override end(): Buffer {
    while (this.translatePart());
    return this.#last ?? emptyBuffer;
  }

  protected change(bytes: Buffer, isEnd: boolean): Buffer {
    if (this.#check.isRefused) return emptyBuffer;
    if (!this.#isStream) this.#whole.push(bytes);
    else for (const event of splitEvents(bytes)) this.#hold(event);
    return this.#release(isEnd);
  }

  /** Moderates the last bytes. Yields the number of characters checked. */
  *#moderate(): Generator<number, Buffer> {
    const bytes = this.answer.end();
    if (!this.#isStream) {
      this.#whole.push(bytes);
      const moderated = yield* this.#readWhole();
      this.#whole.clear();
      return moderated;
    }
    for (const event of splitEvents(bytes)) {
      if (!this.#check.isRefused) this.#hold(event);
      yield event.length;
    }
    return this.#release(true);
  }

  *#readWhole(): Generator<number, Buffer> {
    const whole = this.#whole.whole();
    const text = whole.toString('utf8');
    const json = parseJson(text);
    if (json === undefined && hasTooMuchStructure(text))
      throw tooLargeError('The response is too large to be checked.');
    const answer = isObject(json) ? json : { text };
    const isRedacted = yield* this.#redactWhole(piecesOf(answer));
    if (this.#check.isRefused) return emptyBuffer;
    if (!isRedacted) return whole;
    return Buffer.from(isObject(json) ? JSON.stringify(json) : (textOf(answer['text']) ?? ''));
  }

  #release(isEnd: boolean): Buffer {
    if (isEnd || this.#held.length > HELD_MAX) this.#endTexts();
    if (this.#check.isRefused) {
      this.#held = [];
      this.#heldEventBytes = 0;
      return emptyBuffer;
    }
    const count = this.#held.findIndex((event) => !isEventDecided(event));
    if (count === 0) return emptyBuffer;
    const ready = count === -1 ? this.#held : this.#held.slice(0, count);
    this.#held = count === -1 ? [] : this.#held.slice(count);
    for (const event of ready) this.#heldEventBytes -= event.bytes.length;
    return ready.length === 0 ? emptyBuffer : Buffer.concat(ready.map(eventBytes));
  }

  #hold(bytes: Buffer): void {
    this.#heldEventBytes += bytes.length;
    const [event] = parseSseEvents(bytes);
    const json = event === undefined ? undefined : parseJson(event.data);
    // In text that is not parsed, the check would miss escaped words.
    if (json === undefined && hasTooMuchStructure(event?.data ?? '')) {
      this.#heldEventBytes -= bytes.length;
      return;
    }
    if (event === undefined || !isObject(json)) {
      this.#held.push({ bytes, json: undefined, name: '', spans: [], decided: 0, isRedacted: false });
      return;
    }
    const pieces = piecesOf(json);
    if (pieces.reduce((sum, { text }) => sum + text.length, 0) > EVENT_CHARACTERS_MAX)
      throw tooLargeError('The upstream sent an event that is too large to be checked.');
    const { name } = event;
    const held = { bytes, json, name, decided: 0 };
    if (isWhole(json)) this.#held.push({ ...held, spans: [], isRedacted: runAtOnce(this.#redactWhole(pieces)) });
    else this.#held.push({ ...held, spans: this.#go(pieces), isRedacted: false });
  }

  #endTexts(): void {
    for (const text of this.#running.values()) text.end();
    this.#running.clear();
  }

  /**
   * Redacts strings that don't continue, one after another: the check of each takes a kilobyte, and one event can
   * contain a million strings. Yields the number of characters checked.
   * @returns whether a string has changed
   */
  *#redactWhole(pieces: readonly Piece[]): Generator<number, boolean> {
    let isRedacted = false;
    for (const piece of pieces) {
      const check = this.#check.begin(piece.isJson);
      const parts = splitText(piece.text);
      for (const part of parts) {
        check.push(part);
        yield part.length + BEGIN_CHARACTERS;
      }
      check.end();
      const redacted = parts.map((part) => check.redactNext(part)).join('');
      if (redacted === piece.text) continue;
      isRedacted = true;
      piece.put(redacted);
    }
    return isRedacted;
  }

  #go(pieces: readonly Piece[]): Span[] {
    return pieces.map((piece) => {
      const { textId, text, isJson } = piece;
      const running = this.#running.get(textId) ?? new Running(this.#check.begin(isJson));
      this.#characters += text.length;
      running.lastAt = this.#characters;
      this.#running.delete(textId);
      this.#running.set(textId, running);
      this.#endOldTexts();
      return running.push(piece);
    });
  }

  /** Stops at the first text that continues: an event can contain a million pieces, each with hundreds of others. */
  #endOldTexts(): void {
    for (const [textId, text] of this.#running) {
      if (this.#characters - text.lastAt <= APART) return;
      text.end();
      this.#running.delete(textId);
    }
  }
}

function splitText(text: string): string[] {
  const parts = Math.ceil(text.length / PART_CHARACTERS);
  return Array.from({ length: parts }, (_, nth) => text.slice(nth * PART_CHARACTERS, (nth + 1) * PART_CHARACTERS));
}

function runAtOnce<T>(work: Generator<unknown, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** Reads no decided span again: an event can contain a million of them, and wait while many others arrive. */
function isEventDecided(event: Held): boolean {
  const { spans } = event;
  for (let span = spans[event.decided]; span !== undefined && isDecided(span); span = spans[event.decided])
    event.decided += 1;
  return event.decided === spans.length;
}

function isDecided({ text, start, piece }: Span): boolean {
  return text.check.decidedLength >= start + piece.text.length;
}

function eventBytes({ bytes, json, name, spans, isRedacted }: Held): Buffer {
  let isChanged = isRedacted;
  for (const { text, piece } of spans) {
    const redacted = text.check.redactNext(piece.text);
    if (redacted === piece.text) continue;
    isChanged = true;
    piece.put(redacted);
  }
  if (!isChanged) return bytes;
  return formatSseEvent(name, json);
}

/** Returns whether an event repeats the content of preceding deltas. */
function isWhole(event: JsonObject): boolean {
  const type = textOf(event['type']);
  return type !== undefined && !type.endsWith('delta');
}

/** Deltas of audio and images. */
const binaryDelta = /(?:audio\.delta|partial_image)$/;

function piecesOf(answer: Record<string, unknown>): Piece[] {
  const type = textOf(answer['type']) ?? '';
  const pieces: Piece[] = [];
  const place = { path: shortenPath(type), isJson: jsonText.test(type) };
  if (!binaryDelta.test(type)) addFields(pieces, answer, place, false);
  return pieces;
}

/** Position of a value within an event. */
interface Place {
  /** Field names and indexes on the way to the value, or a digest of them. */
  path: string;
  isJson: boolean;
}

function addFields(pieces: Piece[], object: Record<string, unknown>, { path, isJson }: Place, isOwn: boolean): void {
  const place = `${path}/${numbers.map((name) => numberOf(object[name]) ?? '').join()}`;
  for (const [key, value] of Object.entries(object)) {
    const inner = { path: shortenPath(`${place}/${key}`), isJson: isJson || jsonText.test(key) };
    addValue(pieces, value, { key, place: inner, isOwn }, (changed) => {
      object[key] = changed;
    });
  }
}

function shortenPath(path: string): string {
  return path.length > PATH_MAX ? hash('sha1', path, 'base64') : path;
}

function addValue(
  pieces: Piece[],
  value: unknown,
  { key, place, isOwn }: { key: string; place: Place; isOwn: boolean },
  put: (changed: string) => void,
): void {
  if (typeof value === 'string') {
    const isText = value !== '' && (isOwn || written.has(key));
    if (isText) pieces.push({ textId: place.path, text: value, isJson: place.isJson, put });
  } else if (Array.isArray(value)) {
    const items: unknown[] = value;
    for (const [at, item] of items.entries())
      addValue(pieces, item, { key, place, isOwn }, (changed) => {
        items[at] = changed;
      });
  } else if (isObject(value)) addFields(pieces, value, place, isOwn || own.has(key));
}
