import { findEmbeddedError } from '../errors/errors-in-successful-responses.ts';
import {
  CHANGE_FACTOR,
  HELD_BYTES_MAX,
  PARSE_FACTOR,
  PARSED_BYTES_MAX,
  PASSED_BYTES_MAX,
} from '../errors/response-limits.ts';
import { garbledError } from '../errors/upstream-error.ts';
import { emptyBuffer, isObject, type JsonObject, parseJson } from '../json/json.ts';
import { editJson } from '../json/json-edit.ts';
import { type ClientRequest, contentTypeOf } from '../model/client-request.ts';
import type { ResponseEvent } from '../model/conversation.ts';
import type { NonStreamingResponse, PendingResponse, UnsupportedFields, UpstreamDialect } from '../model/dialect.ts';
import type { ResultRange } from '../model/neutral-requests.ts';
import { isAboutTask } from '../model/parse-task-status.ts';
import type { Target } from '../model/provider.ts';
import { readServedModel } from '../model/reported-model.ts';
import { UniqueCalls } from '../model/task-and-call-ids.ts';
import type { NextPoll, ResponseReader } from '../model/upstream-exchange.ts';
import { WritableMeter } from '../model/usage-meter.ts';
import { buildAccountHeaders, buildUpstreamUrl } from '../provider-kit/upstream-url-and-headers.ts';
import { isGenerator } from '../translate/codec-pair.ts';
import { DroppedFieldNames } from '../translate/dropped-field-names.ts';
import { BytePieces } from '../wire/byte-pieces.ts';
import { parseUrl } from '../wire/parse-url.ts';
import { type ParsedBody, ResponseBody } from './buffered-response-body.ts';
import { getDialect } from './dialect-registry.ts';
import { ResponseEndCheck } from './response-end-check.ts';

/** Translation of a non-streaming response for the client; it returns undefined if there is nothing to translate. */
export type TranslateNonStreaming = (
  answer: JsonObject,
  whole: NonStreamingResponse,
  request: ClientRequest,
  lost: UnsupportedFields,
) => string | Buffer | Generator<Buffer> | undefined;

/** Bytes of a translation after which other requests run: some milliseconds of work. */
const PART_BYTES = 262_144;
/** Bytes of a response which is parsed, read and written in a turn of its own each. */
const LARGE_BYTES = 1_048_576;

/**
 * Reader of a non-streaming response. Between two dialects it is translated, into a stream if the client requested
 * one; otherwise its bytes are unchanged.
 */
export class NonStreamingReader implements ResponseReader {
  readonly contentType: string;
  readonly meter = new WritableMeter();
  readonly #body: ResponseBody;
  readonly #lost = new DroppedFieldNames();
  readonly #upstream: UpstreamDialect;
  readonly #translate: TranslateNonStreaming | undefined;
  readonly #request: ClientRequest;
  readonly #target: Target;
  /** Factor of the received bytes in memory. */
  readonly #factor: number;
  #parsed: ParsedBody | undefined;
  #whole: NonStreamingResponse | undefined;
  /** Bytes for the client, or the pieces that are still to be translated. */
  #translated: Buffer | Generator<Buffer> | undefined;
  readonly #pieces = new BytePieces();

  /** @param isChanged true if the bytes that this reader returns are parsed and changed */
  constructor(
    upstream: UpstreamDialect,
    translate: TranslateNonStreaming | undefined,
    request: ClientRequest,
    target: Target,
    isChanged = false,
  ) {
    this.#upstream = upstream;
    this.#translate = translate;
    this.#request = request;
    this.contentType = translate === undefined ? 'application/json' : clientContentType(request);
    this.#target = target;
    this.#factor = translate !== undefined ? PARSE_FACTOR : isChanged ? CHANGE_FACTOR : 1;
    this.#body = new ResponseBody(this.#factor > 1 ? PARSED_BYTES_MAX : PASSED_BYTES_MAX);
  }

  /** Names of the unsupported fields; none for a response that passes through unchanged. */
  get dropped(): readonly string[] {
    return this.#translate === undefined ? [] : this.#lost.list;
  }

  get heldBytes(): number {
    return this.#body.heldBytes * this.#factor;
  }

  push(chunk: Buffer): Buffer {
    this.#body.push(chunk);
    return emptyBuffer;
  }

  nextPoll(): NextPoll | undefined {
    const upstream = this.#upstream;
    if (upstream.readPending === undefined) return undefined;
    const answer = this.#body.readSubmissionResponse(this.#target);
    const error = isAboutTask(answer, '') ? undefined : findEmbeddedError(answer, this.#target);
    if (error !== undefined) throw error;
    const next = upstream.readPending(answer);
    const followUp = next && planNextPoll(this.#target, next);
    if (next !== undefined && followUp === undefined)
      throw garbledError('The upstream returned an invalid polling URL.');
    return followUp;
  }

  translatePart(): boolean {
    if (this.#parsed === undefined) {
      this.#parsed = this.#parse();
      if (this.#isLarge) return true;
    }
    if (this.#whole === undefined) {
      this.#whole = this.#read(this.#parsed);
      if (this.#isLarge) return true;
    }
    this.#translated ??= this.#write(this.#parsed, this.#whole);
    if (Buffer.isBuffer(this.#translated)) return false;
    const end = this.#pieces.length + PART_BYTES;
    while (this.#pieces.length < end) {
      const { done, value } = this.#translated.next();
      if (done === true) {
        this.#translated = this.#pieces.whole();
        return false;
      }
      this.#pieces.push(value);
    }
    return true;
  }

  end(): Buffer {
    while (this.translatePart());
    return Buffer.isBuffer(this.#translated) ? this.#translated : emptyBuffer;
  }

  get #isLarge(): boolean {
    return this.#body.heldBytes > LARGE_BYTES;
  }

  #read({ json, cutCharacters }: ParsedBody): NonStreamingResponse {
    const { meter } = this;
    checkResultCount(this.#upstream, json, this.#request);
    const read = this.#upstream.readNonStreaming(json, this.#lost, this.#request.json);
    // A response that the check refuses is billed all the same.
    meter.usage = read.usage;
    meter.finished = true;
    const whole = this.#checked(read);
    const { content, binaries } = whole;
    meter.servedModel = readServedModel(json);
    meter.transcribedSeconds = whole.transcribedSeconds;
    const { events = [], images = countEvents('image', events) } = whole;
    meter.deliveredImages = images;
    meter.endedChoices = Math.min(countEvents('finish', events), this.#request.facts.choices);
    for (const text of content) meter.addText(text);
    for (const binary of binaries) meter.addBinary(binary.length);
    if (binaries.length > 0) meter.addBinary(cutCharacters);
    return whole;
  }

  #write({ bytes, json, vectors = [] }: ParsedBody, whole: NonStreamingResponse): Buffer | Generator<Buffer> {
    const translated = this.#translate?.(json, { ...whole, vectors }, this.#request, this.#lost);
    if (translated === undefined) return this.#completed(bytes, json);
    if (typeof translated === 'string') return Buffer.from(translated);
    if (isGenerator(translated)) return translated;
    this.meter.addAudio(translated);
    return translated;
  }

  #parse(): ParsedBody {
    if (this.#translate === undefined) return this.#body.skim(this.#target);
    const isEmbeddings = this.#request.operation === 'embeddings';
    return isEmbeddings ? this.#body.detachVectors(this.#target) : this.#body.read(this.#target);
  }

  /**
   * Completes the response. Reads it in full if fields are missing, because they may repeat values that `skimmed`
   * lacks.
   */
  #completed(bytes: Buffer, skimmed: JsonObject): Buffer {
    const complete = (json: JsonObject): JsonObject => this.#upstream.completeResponse?.(json, this.#request) ?? json;
    // No larger response lacks fields.
    if (bytes.length > HELD_BYTES_MAX || complete(skimmed) === skimmed) return bytes;
    const json = parseJson(bytes.toString('utf8'));
    return isObject(json) ? editJson(bytes, json, complete(json)) : bytes;
  }

  #checked(whole: NonStreamingResponse): NonStreamingResponse {
    const { events } = whole;
    if (events === undefined) return whole;
    const checked = new ResponseEndCheck(this.#upstream.id).checkWhole(events);
    return { ...whole, events: new UniqueCalls().assignIds(checked) };
  }
}

/** Returns the content type. Audio and text have their own; only chat has emulated streams. */
function clientContentType({ format, facts, json }: ClientRequest): string {
  const client = getDialect(format);
  const isEmulated = client.chat !== undefined && facts.stream;
  return client.binaryResponse?.(json)?.contentType ?? (isEmulated ? contentTypeOf('sse') : 'application/json');
}

function countEvents(type: ResponseEvent['type'], events: readonly ResponseEvent[]): number {
  return events.filter((event) => event.type === type).length;
}

/**
 * Refuses a response with another number of results than the request: clients match results with inputs by position.
 * It costs nothing.
 * @throws UpstreamError `garbled`
 */
function checkResultCount(upstream: UpstreamDialect, answer: JsonObject, request: ClientRequest): void {
  const range = getDialect(request.format).expectedResults?.(request.json);
  const count = range && upstream.resultCount?.(answer);
  if (range === undefined || count === undefined || (count >= range.least && count <= range.most)) return;
  throw garbledError(`The upstream sent ${count} results instead of ${formatRange(range)}.`);
}

function formatRange({ least, most }: ResultRange): string {
  if (most === Number.POSITIVE_INFINITY) return `at least ${least}`;
  return least === most ? String(most) : `${least} to ${most}`;
}

/**
 * Plans the next poll of a vendor that accepts a task and delivers its result later. Returns undefined if the URL is
 * not the vendor's, because the request would send credentials to it.
 */
export function planNextPoll(target: Target, { at, waitMs }: PendingResponse): NextPoll | undefined {
  if (at === undefined) return { again: true, waitMs };
  const url = at.startsWith('/') ? buildUpstreamUrl(target, at) : resolvePollUrl(target, at);
  if (url === undefined) return undefined;
  const headers = { ...buildAccountHeaders(target, url), 'accept-encoding': 'identity' };
  return { url, headers: Object.entries(headers).flat(), waitMs };
}

/**
 * Returns the URL to poll: the vendor's own, including its other hosts (`api.us1.…`); with an operator's base URL,
 * the same path there. Undefined for any other host.
 */
function resolvePollUrl({ provider, baseUrl }: Target, at: string): string | undefined {
  const [asked, base] = [parseUrl(at), parseUrl(baseUrl)];
  if (asked === undefined || base === undefined) return undefined;
  if (base.origin !== new URL(provider.baseUrl ?? baseUrl).origin) return base.origin + asked.pathname + asked.search;
  const domain = base.hostname.split('.').slice(-2).join('.');
  const isOwn = asked.hostname === base.hostname || asked.hostname.endsWith(`.${domain}`);
  const isPlain = asked.username === '' && asked.password === '' && asked.port === base.port;
  return isOwn && isPlain && asked.protocol === base.protocol ? asked.href : undefined;
}
