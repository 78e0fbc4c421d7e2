import { findEmbeddedError } from '../errors/errors-in-successful-responses.ts';
import { PARSE_FACTOR } from '../errors/response-limits.ts';
import { garbledError } from '../errors/upstream-error.ts';
import { emptyBuffer, isObject, parseJson } from '../json/json.ts';
import { type ClientRequest, contentTypeOf } from '../model/client-request.ts';
import type { BinaryResponse, UsageExtractor, UsageExtractorFactory } from '../model/dialect.ts';
import type { Target } from '../model/provider.ts';
import { findServedModel } from '../model/reported-model.ts';
import type { ResponseReader } from '../model/upstream-exchange.ts';
import type { Usage } from '../model/usage.ts';
import { WritableMeter } from '../model/usage-meter.ts';
import { isDoneMarker, parseSseEvents } from '../wire/sse.ts';
import { EventScanner } from '../wire/sse-event-scan.ts';
import { BaseStreamReader } from './base-stream-reader.ts';
import { ResponseBody } from './buffered-response-body.ts';

/** Maximum events that are searched for the model's name, because vendors may start with comments. */
const LOOKS_MAX = 4;

/**
 * Reader that forwards a stream unchanged in whole events, and meters it. Only events that report usage, an end or an
 * error are parsed; the rest is scanned for the amount of content.
 */
export class PassThroughReader implements ResponseReader {
  readonly contentType = contentTypeOf('sse');
  readonly meter: WritableMeter;
  /** Empty, because everything reaches the client. */
  readonly dropped: readonly string[] = [];
  readonly #scanner: EventScanner;
  readonly #tap: UsageExtractor;
  readonly #gate: BaseStreamReader;
  readonly #endsWithDone: boolean;
  /** Number of searches for the model's name. */
  #looks = 0;
  /** Byte ranges of the current run that the client must not see. */
  #withheld: (readonly [number, number])[] = [];

  constructor(factory: UsageExtractorFactory, { json, facts }: ClientRequest, target: Target) {
    this.#scanner = new EventScanner(factory.watch);
    this.meter = new WritableMeter(this);
    this.#tap = factory.create(json, facts.choices);
    this.#endsWithDone = factory.endsWithDone;
    this.#gate = new BaseStreamReader(this.meter, target);
  }

  get usage(): Usage | undefined {
    this.#readPutOff();
    return this.#tap.usage;
  }

  get sample(): string {
    return this.#scanner.sample;
  }

  get audioSeconds(): number | undefined {
    return this.#tap.audioSeconds;
  }

  get heldBytes(): number {
    return this.#gate.heldBytes * PARSE_FACTOR;
  }

  push(chunk: Buffer): Buffer {
    return this.#read(this.#gate.push(chunk));
  }

  end(): Buffer {
    const last = this.#read(this.#gate.end());
    this.#gate.checkComplete();
    const fault = this.meter.deliveredCharacters > 0 ? undefined : this.#tap.emptyStreamError?.();
    if (fault !== undefined) throw fault;
    return last;
  }

  #read(events: Buffer): Buffer {
    const { meter } = this;
    if (events.length === 0 || meter.error !== undefined) return emptyBuffer;
    const scanner = this.#scanner;
    if (meter.servedModel === undefined && this.#looks++ < LOOKS_MAX) meter.servedModel = findServedModel(events);
    this.#withheld = [];
    scanner.scan(events, (start, end) => this.#readEvent(events, start, end));
    meter.deliveredCharacters = scanner.characters + (this.#tap.characters ?? 0);
    meter.deliveredWideCharacters = scanner.wideCharacters;
    meter.deliveredBinaryCharacters = scanner.binaryCharacters;
    meter.deliveredImages = scanner.images;
    meter.endedChoices = this.#tap.endedChoices ?? 0;
    if (meter.error === undefined) meter.finished ||= this.#tap.finished;
    return this.#withheld.length === 0 ? events : without(events, this.#withheld);
  }

  /** Reads the deferred usage chunk, which was forwarded unchanged like other chunks with content only. */
  #readPutOff(): void {
    const event = this.#scanner.takeDeferredUsage();
    if (event === undefined) return;
    for (const { data } of parseSseEvents(event)) {
      const json = parseJson(data);
      if (isObject(json)) this.#tap.readEvent(json);
    }
  }

  /** @returns false after the vendor's error */
  #readEvent(events: Buffer, start: number, end: number): boolean {
    this.#readPutOff();
    for (const event of parseSseEvents(events.subarray(start, end))) {
      if (isDoneMarker(event.data)) {
        this.meter.finished ||= this.#endsWithDone;
        continue;
      }
      const json = this.#gate.parse(event);
      // The gateway writes its own error, so that the rest of the vendor's stream is withheld. So is an event outside
      // the dialect, which no client could read.
      if (this.meter.error !== undefined) {
        // An end before the error counts, even in the same chunk.
        this.meter.finished ||= this.#tap.finished;
        // The error event may report the usage.
        if (json !== undefined) this.#tap.readEvent(json);
        this.#withheld.push([start, events.length]);
        return false;
      }
      if (json === undefined || !this.#tap.readEvent(json)) this.#withheld.push([start, end]);
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

/** Content types of a vendor's error or another server's page; audio and transcripts have others. */
const rejectedType = /^(application\/(problem\+)?json|text\/(html|event-stream))\b/i;

/** Reader that forwards audio immediately, and text when it is complete. */
export class BinaryResponseReader implements ResponseReader {
  readonly contentType: string;
  readonly meter = new WritableMeter();
  /** Empty, because everything reaches the client. */
  readonly dropped: readonly string[] = [];
  readonly #plain: BinaryResponse;
  readonly #target: Target;
  readonly #isOdd: boolean;
  /** Bytes that are withheld, temporarily or for good. */
  readonly #kept = new ResponseBody();

  /** @param contentType content type of the response; empty without one */
  constructor(plain: BinaryResponse, contentType: string, target: Target) {
    this.#plain = plain;
    this.#target = target;
    this.#isOdd = rejectedType.test(contentType);
    this.contentType = plain.accepted.test(contentType) ? contentType : plain.contentType;
  }

  get heldBytes(): number {
    return this.#kept.heldBytes;
  }

  push(chunk: Buffer): Buffer {
    if (!this.#isOdd && this.#plain.isStreamed) {
      this.meter.addAudio(chunk);
      return chunk;
    }
    this.#kept.push(chunk);
    return emptyBuffer;
  }

  end(): Buffer {
    const { meter } = this;
    const { bytes } = this.#kept;
    const text = this.#isOdd || this.#plain.isText ? bytes.toString('utf8') : '';
    this.#refuse(text);
    if (this.#plain.isText) {
      meter.addText(text);
      meter.transcribedSeconds = this.#plain.lastTimeIn?.(text);
    } else if (meter.deliveredCharacters === 0) throw garbledError('The upstream sent an empty response.');
    meter.finished = true;
    return bytes;
  }

  /** @throws UpstreamError for an error, or a response of another type */
  #refuse(text: string): void {
    const json = parseJson(text);
    const error = findEmbeddedError(json, this.#target);
    if (error !== undefined) throw error;
    if (isObject(json) || (this.#isOdd && json === undefined))
      throw garbledError('The upstream did not return the requested content.');
  }
}
