import { HELD_BYTES_MAX, PARSE_FACTOR } from '../errors/response-limits.ts';
import { garbledError, UpstreamError } from '../errors/upstream-error.ts';
import { emptyBuffer, isObject, parseJson } from '../json/json.ts';
import { type ClientRequest, contentTypeOf } from '../model/client-request.ts';
import type { ResponseEvent } from '../model/conversation.ts';
import {
  type ChatCodec,
  getBinaryContent,
  getTextContent,
  type StreamDecoder,
  type StreamEncoder,
  type UpstreamChatCodec,
} from '../model/dialect.ts';
import type { UpstreamDialectId } from '../model/dialect-id.ts';
import type { Target } from '../model/provider.ts';
import { readServedModel } from '../model/reported-model.ts';
import { UniqueCalls } from '../model/task-and-call-ids.ts';
import type { ResponseReader } from '../model/upstream-exchange.ts';
import type { Usage } from '../model/usage.ts';
import { WritableMeter } from '../model/usage-meter.ts';
import { DroppedFieldNames } from '../translate/dropped-field-names.ts';
import { EndedChoices, selectChoices } from '../translate/response-choices.ts';
import { isDoneMarker, parseSseEvents, type SseEvent } from '../wire/sse.ts';
import { BaseStreamReader } from './base-stream-reader.ts';
import { createCollectingEncoder, createStartingEncoder } from './encode-chat-response.ts';
import { ResponseEndCheck } from './response-end-check.ts';

/**
 * Maximum bytes without content. Comments of a response are a few kilobytes: vendors send one per second while a
 * model thinks.
 */
const SILENT_BYTES_MAX = 1_048_576;
/** Bytes of an event's framing: `event: `, `data: ` and line ends. */
const FRAMING_BYTES = 24;
/** Bytes of an event besides its content. */
const STRUCTURE_BYTES = 1_024;
/** Bytes of a neutral event besides its content. */
const EVENT_BYTES = 32;
/** Bytes that may be kept before they count: those of honest streams are content that the client doesn't get. */
const KEPT_BYTES_MIN = 1_048_576;

/** Reader that translates a chat stream to a stream, or a non-streaming response, of another dialect. */
export class TranslatingReader implements ResponseReader {
  readonly contentType: string;
  readonly meter = new WritableMeter(this);
  readonly #gate: BaseStreamReader;
  readonly #decoder: StreamDecoder;
  readonly #encoder: StreamEncoder;
  readonly #ended: EndedChoices;
  readonly #end: ResponseEndCheck;
  readonly #calls = new UniqueCalls();
  readonly #to: ChatCodec;
  readonly #lost = new DroppedFieldNames();
  #garbled: UpstreamError | undefined;
  /** Bytes of data since the last written event: their content is kept, such as the arguments of a call. */
  #unwrittenBytes = 0;
  /** Upper bound of what the decoder and the encoder keep until the end, such as citations, beside what they write. */
  #keptBytes = 0;
  /** Bytes of comments and empty events since the last content, none of which are kept. */
  #silentBytes = 0;
  /** Bytes of data since the last content. */
  #fruitlessBytes = 0;
  #hasGoneOn = false;

  constructor(
    from: UpstreamChatCodec,
    fromId: UpstreamDialectId,
    to: ChatCodec,
    request: ClientRequest,
    target: Target,
  ) {
    const { stream } = request.facts;
    this.contentType = stream ? contentTypeOf('sse') : 'application/json';
    this.#decoder = from.createStreamDecoder(this.#lost);
    this.#encoder = stream
      ? createStartingEncoder(to, request, this.#lost)
      : createCollectingEncoder(to, request, this.#lost);
    this.#ended = new EndedChoices(from, request.facts.choices);
    this.#end = new ResponseEndCheck(fromId);
    this.#to = to;
    this.#gate = new BaseStreamReader(this.meter, target);
  }

  get dropped(): readonly string[] {
    return this.#lost.list;
  }

  get usage(): Usage | undefined {
    return this.#decoder.usage;
  }

  get heldBytes(): number {
    const kept = Math.max(this.#unwrittenBytes, this.#keptBytes - KEPT_BYTES_MIN);
    return (this.#gate.heldBytes + kept) * PARSE_FACTOR + (this.#encoder.heldCharacters ?? 0);
  }

  push(chunk: Buffer): Buffer {
    const bytes = this.#translate(this.#gate.push(chunk));
    if (this.#garbled !== undefined && bytes.length === 0) throw this.#garbled;
    return bytes;
  }

  end(): Buffer {
    const last = this.#translate(this.#gate.end());
    const rest = this.#isOver ? '' : this.#encode(this.#decoder.end(false), false);
    this.#gate.checkComplete();
    return Buffer.concat([last, Buffer.from(rest)]);
  }

  /** Nothing follows an end or an error. */
  get #isOver(): boolean {
    return this.meter.finished || this.meter.error !== undefined;
  }

  #translate(events: Buffer): Buffer {
    if (events.length === 0) return emptyBuffer;
    let written = '';
    let silentBytes = events.length;
    this.#hasGoneOn = false;
    for (const event of parseSseEvents(events)) {
      silentBytes -= Buffer.byteLength(event.data) + event.name.length + FRAMING_BYTES;
      if (this.#isOver) {
        this.#readLateUsage(event);
        continue;
      }
      try {
        written += this.#read(event);
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error;
        // The events before the error have been metered, and reach the client first.
        if (this.meter.error !== undefined) break;
        this.#garbled = error;
        this.meter.error = error;
      }
    }
    this.#count(events.length, Math.max(0, silentBytes), written !== '');
    return written === '' ? emptyBuffer : Buffer.from(written);
  }

  /** @throws UpstreamError when the stream sends more bytes without content than any vendor */
  #count(bytes: number, silentBytes: number, isWritten: boolean): void {
    const dataBytes = bytes - silentBytes;
    this.#unwrittenBytes = isWritten ? 0 : this.#unwrittenBytes + dataBytes;
    const isSilent = !this.#hasGoneOn && !this.#isOver;
    this.#silentBytes = isSilent ? this.#silentBytes + silentBytes : 0;
    this.#fruitlessBytes = isSilent ? this.#fruitlessBytes + dataBytes : 0;
    if (this.#silentBytes > SILENT_BYTES_MAX || this.#fruitlessBytes > HELD_BYTES_MAX)
      throw garbledError('The upstream sent a stream without content.');
  }

  /** Reads usage after the end of the response, which some vendors send: it is charged, but not forwarded. */
  #readLateUsage({ data }: SseEvent): void {
    const json = parseJson(data);
    if (this.meter.error !== undefined || !isObject(json)) return;
    try {
      this.#decoder.push(json);
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
    }
  }

  #read(event: SseEvent): string {
    if (isDoneMarker(event.data)) return this.#encode(this.#decoder.end(true), true);
    const json = this.#gate.parse(event);
    if (json === undefined) return '';
    this.meter.servedModel ??= readServedModel(json);
    const said = this.#decoder.push(json, event.name);
    this.#keptBytes += countUndecoded(event, said);
    // The vendor's error has no content, but it may report the usage.
    return this.meter.error === undefined ? this.#encode(said, false) : '';
  }

  /** @param isEnd true at the end of the stream: an upstream may return fewer choices than requested */
  #encode(events: readonly ResponseEvent[], isEnd: boolean): string {
    this.#hasGoneOn ||= events.length > 0;
    // Most events have one delta.
    const joined = events.length > 1 ? joinDeltas(events) : events;
    for (const event of joined) this.#note(event);
    const checked = this.#calls.assignIds(this.#end.check(joined));
    let written = '';
    for (const event of selectChoices(this.#to, checked, this.#lost)) {
      const own = this.#encoder.push(event);
      // The encoder of Chat also keeps thoughts that it writes.
      if (own === '' || event.type === 'reasoning') this.#keptBytes += EVENT_BYTES + contentLength(event);
      written += own;
    }
    this.meter.finished = this.#ended.hasAll || (isEnd && this.#ended.hasAny);
    return this.meter.finished ? written + this.#encoder.end() : written;
  }

  #note(event: ResponseEvent): void {
    const { meter } = this;
    this.#ended.recordEnd(event);
    meter.endedChoices = this.#ended.count;
    if (event.type === 'image') meter.deliveredImages++;
    const text = getTextContent(event);
    if (text === undefined) meter.addBinary(getBinaryContent(event)?.length ?? 0);
    else meter.addText(text);
  }
}

/** Returns the characters of an event that its decoder may have kept. */
function countUndecoded({ data }: SseEvent, said: readonly ResponseEvent[]): number {
  const structure = said.length > 0 ? STRUCTURE_BYTES : 0;
  return Math.max(0, data.length - said.reduce((sum, event) => sum + contentLength(event), structure));
}

function contentLength(event: ResponseEvent): number {
  return (getTextContent(event) ?? getBinaryContent(event) ?? JSON.stringify(event)).length;
}

type Delta = Extract<ResponseEvent, { text: string }>;

/**
 * Joins adjacent deltas of the same text. A vendor's event may list tens of thousands of parts, and each delta becomes
 * an event for the client.
 */
export function joinDeltas(events: readonly ResponseEvent[]): ResponseEvent[] {
  const joined: ResponseEvent[] = [];
  let last: Delta | undefined;
  for (const event of events) {
    if (!isDelta(event)) last = undefined;
    else if (last !== undefined && continues(last, event)) {
      last.text += event.text;
      continue;
    } else last = { ...event };
    joined.push(last ?? event);
  }
  return joined;
}

function isDelta(event: ResponseEvent): event is Delta {
  return 'text' in event;
}

function continues(last: Delta, next: Delta): boolean {
  if (last.type !== next.type || last.choice !== next.choice) return false;
  return last.type !== 'tool-arguments' || (next.type === 'tool-arguments' && last.index === next.index);
}
