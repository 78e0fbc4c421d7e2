import { findEmbeddedError, garbledError, HELD_BYTES_MAX } from '../errors/errors-in-successful-responses.ts';
import type { UpstreamError } from '../errors/upstream-error.ts';
import { emptyBuffer, isObject, objectOf, parseJson, textOf } from '../json/json.ts';
import type { ClientRequest } from '../model/client-request.ts';
import type { BinaryResponse, Dialect, Meter, UpstreamDialect } from '../model/dialect.ts';
import type { Operation } from '../model/dialect-id.ts';
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import type { Target } from '../model/provider.ts';
import type { ResponseHeaders, ResponseReader } from '../model/upstream-exchange.ts';
import { WritableMeter } from '../model/usage-meter.ts';
import { ModeratedReader, type ResponseCheck } from '../moderation/moderated-reader.ts';
import { createCodecPair } from '../translate/codec-pair.ts';
import type { ToolNames } from '../translate/tool-names.ts';
import { type EventStreamMessage, EventStreamSplitter } from '../wire/aws-event-stream.ts';
import { ResponseBody } from './buffered-response-body.ts';
import { getDialect } from './dialect-registry.ts';
import { encodeAsRequested } from './emulated-stream.ts';
import { ArrayReader } from './json-array-reader.ts';
import { canLinkImages, LinkedImagesReader, type StoreImage } from './link-response-images.ts';
import { TranscriptEventsReader } from './mistral-transcript-reader.ts';
import { NonStreamingReader, type TranslateNonStreaming } from './non-streaming-reader.ts';
import { PassThroughReader } from './pass-through-reader.ts';
import { SubmissionReader } from './submission-reader.ts';
import { TranslatingReader } from './translating-reader.ts';

const wordless: ReadonlySet<Operation> = new Set(['embeddings', 'moderation', 'rerank', 'speech']);

/** Changes to a response on its way to the client. */
export interface ResponseChanges {
  /** Moderates the response before the client gets it. */
  check?: ResponseCheck | undefined;
  /** Stores images in the response, if the client's dialect supports image URLs. */
  storeImage?: StoreImage | undefined;
}

/** Context of an upstream's response: how the request was sent, and the dialect of the response. */
interface ResponseContext {
  upstream: UpstreamDialect;
  names: ToolNames;
  /** True if the client gets the response unchanged. */
  isPassedThrough: boolean;
  isStreaming: boolean;
  headers: ResponseHeaders;
  /** Path below the base URL, with its query. */
  path: string;
  changes: ResponseChanges;
}

/**
 * Creates a reader that converts a response from the upstream's dialect to the client's; it is unchanged if both are
 * the same.
 */
export function createResponseReader(
  request: ClientRequest,
  target: Target,
  answered: ResponseContext,
): ResponseReader {
  const { check, storeImage } = pickChanges(request, answered);
  const base = createBaseReader(request, target, answered, check !== undefined || storeImage !== undefined);
  const isTranscript = request.operation === 'transcription' && request.facts.stream;
  const events = isTranscript ? new TranscriptEventsReader(base) : base;
  const isFramed = String(answered.headers['content-type'] ?? '').startsWith(EVENT_STREAM_TYPE);
  const framed = isFramed ? new EventStreamReader(events) : events;
  const { stream } = request.facts;
  const checked = check === undefined ? framed : new ModeratedReader(framed, check, stream);
  const reader = storeImage === undefined ? checked : new LinkedImagesReader(checked, storeImage, stream);
  return stream && request.framing === 'json-array' ? new ArrayReader(reader) : reader;
}

/**
 * Returns the changes that apply. Audio is not moderated, vectors and scores contain no text, and the response to a task
 * submission has no content yet.
 */
function pickChanges(
  request: ClientRequest,
  { upstream, changes: { check, storeImage } }: ResponseContext,
): ResponseChanges {
  if (upstream.upstreamTasks !== undefined) return {};
  const isText = upstream.binaryResponse?.(request.json)?.isText ?? !wordless.has(request.operation);
  return { check: isText ? check : undefined, storeImage: canLinkImages(request) ? storeImage : undefined };
}

/** @param isChanged true if the reader's bytes are changed on their way to the client */
function createBaseReader(
  request: ClientRequest,
  target: Target,
  { upstream, names, isPassedThrough, isStreaming, headers, path }: ResponseContext,
  isChanged: boolean,
): ResponseReader {
  const client = getDialect(request.format);
  const contentType = String(headers['content-type'] ?? '');
  if (upstream.upstreamTasks !== undefined)
    return new SubmissionReader(upstream.id, upstream.upstreamTasks, path, target);
  const plain = upstream.binaryResponse?.(request.json);
  if (plain !== undefined) return new BinaryResponseReader(plain, contentType, target);
  const isWhole = upstream.mayIgnoreStream === true && /^application\/json\b/i.test(contentType);
  if (!isStreaming || isWhole)
    return new NonStreamingReader(
      upstream,
      isPassedThrough ? undefined : createTranslator(client, upstream, names),
      request,
      target,
      isChanged,
    );
  if (isPassedThrough && upstream.usageExtractor !== undefined)
    return new PassThroughReader(upstream.usageExtractor, request, target);
  if (client.chat === undefined || upstream.chat === undefined)
    throw new InvalidRequestError(
      'This endpoint does not support streaming. Omit stream, or set it to false.',
      'stream',
    );
  return new TranslatingReader(names.createRestoringCodec(upstream.chat), upstream.id, client.chat, request, target);
}

function createTranslator(client: Dialect, upstream: UpstreamDialect, names: ToolNames): TranslateNonStreaming {
  const pair = createCodecPair(client, upstream);
  return (answer, whole, request, lost) => {
    const { events } = whole;
    if (events !== undefined)
      return client.chat && encodeAsRequested(client.chat, names.restoreNames(events), request, lost);
    return pair?.translateResponse(answer, whole, request, lost);
  };
}

/** Content types of a vendor's error or another server's page; audio and transcripts have others. */
const rejectedType = /^(application\/(problem\+)?json|text\/(html|event-stream))\b/i;

/** Reader that forwards audio immediately, and text when it is complete. */
class BinaryResponseReader implements ResponseReader {
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

/** AWS's media type for its event stream framing. */
const EVENT_STREAM_TYPE = 'application/vnd.amazon.eventstream';

/** Reader of a stream in AWS's framing, which extracts its events. */
class EventStreamReader implements ResponseReader {
  readonly #events: ResponseReader;
  readonly #splitter = new EventStreamSplitter(HELD_BYTES_MAX);
  #broken: UpstreamError | undefined;

  constructor(events: ResponseReader) {
    this.#events = events;
  }

  get contentType(): string {
    return this.#events.contentType;
  }

  get meter(): Meter {
    return this.#events.meter;
  }

  get dropped(): readonly string[] {
    return this.#events.dropped;
  }

  get heldBytes(): number {
    return this.#splitter.heldBytes + this.#events.heldBytes;
  }

  /** Reads a chunk. Events before a broken message reach the client and are metered before the error is thrown. */
  push(chunk: Buffer): Buffer {
    const bytes = this.#events.push(Buffer.from(this.#read(chunk)));
    if (this.#broken !== undefined && bytes.length === 0) throw this.#broken;
    return bytes;
  }

  end(): Buffer {
    if (this.#broken !== undefined && !this.meter.finished) throw this.#broken;
    return this.#events.end();
  }

  #read(chunk: Buffer): string {
    let events = '';
    if (this.#broken !== undefined) return events;
    try {
      for (const message of this.#splitter.push(chunk)) events += asEvent(message);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#broken = garbledError(`The upstream’s stream contains ${error.message}.`);
    }
    return events;
  }
}

/**
 * Converts Bedrock's messages to server-sent events. The event of another dialect's model is in `bytes`
 * (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ResponseStream.html); Converse's own events
 * have names.
 */
function asEvent({ headers, payload }: EventStreamMessage): string {
  const json = objectOf(parseJson(payload.toString('utf8')));
  const exception = headers[':exception-type'] ?? headers[':error-code'];
  if (exception !== undefined) {
    const message = textOf(json['message']) ?? headers[':error-message'] ?? exception;
    return sse('error', { type: 'error', error: { type: exception, message } });
  }
  const inner = textOf(json['bytes']);
  if (inner === undefined) return sse('', { [headers[':event-type'] ?? 'unknown']: json });
  const own = objectOf(parseJson(Buffer.from(inner, 'base64').toString('utf8')));
  return sse(textOf(own['type']) ?? '', own);
}

function sse(name: string, data: object): string {
  return `${name === '' ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}
