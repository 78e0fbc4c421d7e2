import type { ClientRequest } from '../model/client-request.ts';
import type { Dialect, UpstreamDialect } from '../model/dialect.ts';
import type { Operation } from '../model/dialect-id.ts';
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import type { Target } from '../model/provider.ts';
import type { ResponseHeaders, ResponseReader } from '../model/upstream-exchange.ts';
import { ModeratedReader, type ResponseCheck } from '../moderation/moderated-reader.ts';
import { createCodecPair } from '../translate/codec-pair.ts';
import type { ToolNames } from '../translate/tool-names.ts';
import { EVENT_STREAM_TYPE, EventStreamReader } from '../wire/aws-event-stream.ts';
import { getDialect } from './dialect-registry.ts';
import { encodeAsRequested } from './encode-chat-response.ts';
import { ArrayReader } from './json-array-reader.ts';
import { canLinkImages, LinkedImagesReader, type StoreImage } from './link-response-images.ts';
import { TranscriptEventsReader } from './mistral-transcript-reader.ts';
import { NonStreamingReader, type TranslateNonStreaming } from './non-streaming-reader.ts';
import { BinaryResponseReader, PassThroughReader } from './pass-through-reader.ts';
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
