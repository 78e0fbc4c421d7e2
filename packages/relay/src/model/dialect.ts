/**
 * Wire dialects as pure functions, without I/O and without knowledge of vendors. A non-streaming response decodes to
 * the same events as a stream, so that usage, finish reasons and tool calls are mapped once.
 */

import type { ContextOverflow } from '../errors/context-overflow.ts';
import type { UpstreamError, VendorError } from '../errors/upstream-error.ts';
import type { JsonObject } from '../json/json.ts';
import type { WatchedKeys } from '../wire/sse-event-scan.ts';
import type { ClientRequest, RequestFacts, SubmissionRoute, TaskSubmission } from './client-request.ts';
import type { Conversation, EncodeOptions, ResponseEvent } from './conversation.ts';
import type { DialectId, Operation, UpstreamDialectId } from './dialect-id.ts';
import type { NeutralTypes, ResultRange } from './neutral-requests.ts';
import type { ClientTasks, TaskOrigin, UpstreamTasks, VideoRequest, VideoSubmission } from './task-types.ts';
import type { Usage } from './usage.ts';

/** Interface of an upstream's dialect: reads responses, and encodes requests of other dialects. */
export interface UpstreamDialect {
  id: UpstreamDialectId;
  operation: Operation;
  /** Absent if the dialect cannot stream, or its streams are never passed through. */
  usageExtractor?: UsageExtractorFactory;
  /**
   * @param lost takes the names of fields without a neutral form
   * @param request client's request, for facts that the response doesn't repeat
   */
  readNonStreaming(answer: JsonObject, lost: UnsupportedFields, request: JsonObject): NonStreamingResponse;
  /** True if an upstream may answer a streaming request without a stream, depending on the model. */
  mayIgnoreStream?: true;
  /**
   * Returns the kind of a binary response; undefined if the response is JSON. Absent if every response is JSON or an
   * event stream.
   */
  binaryResponse?(body: JsonObject): BinaryResponse | undefined;
  /**
   * Returns the number of vectors or scores in a response; absent if no number of results is expected.
   * @throws UpstreamError `garbled` when a result is empty
   */
  resultCount?(answer: JsonObject): number;
  /**
   * Adds members that clients of the dialect expect and the response lacks; returns the same object if none is
   * missing.
   */
  completeResponse?(answer: JsonObject, request: ClientRequest): JsonObject;
  /** Present if chat requests of other dialects can be translated to this one. */
  chat?: UpstreamChatCodec;
  /** Codecs of other operations that can be translated to this dialect. */
  upstreamCodecs?: {
    [Of in keyof NeutralTypes]?: UpstreamCodec<NeutralTypes[Of]['asked'], NeutralTypes[Of]['answer']>;
  };
  /** Returns where to poll for a response that is not ready. Absent in dialects whose responses are always ready. */
  readPending?(answer: JsonObject): PendingResponse | undefined;
  /** Present if responses only accept a task. */
  upstreamTasks?: UpstreamTasks;
  /**
   * Encodes another dialect's video request; absent if not supported.
   * @throws InvalidRequestError when the vendor offers no such video
   */
  encodeVideoSubmission?(asked: VideoRequest, model: string, dropped: string[]): VideoSubmission;
  /**
   * Returns the characters of a speech request's packed body that the vendor bills; absent: one for each code point of
   * the text.
   */
  countCharacters?(body: string): number;
  /** Encodes a body of this dialect for sending; JSON if absent. */
  pack?(body: JsonObject): PackedBody;
}

/** Interface of a client dialect, which an upstream may use as well. */
export interface Dialect extends UpstreamDialect {
  id: DialectId;
  /** Model of a request without one; absent if a request must name one. */
  defaultModel?: string;
  /** @param files files of a form, by field name. @throws InvalidRequestError */
  readFacts(body: JsonObject, files: FormFiles, order?: TaskSubmission): DialectFacts;
  /**
   * Prepares the client's request for the upstream, with the model's name at the vendor and the settings for
   * metering; returns the same object if nothing changes.
   */
  prepare(body: JsonObject, asking: PrepareContext): JsonObject;
  encodeError(error: ErrorDetail): string;
  /** Encodes an error as a server-sent event, or as the dialect's equivalent. */
  encodeStreamError(error: ErrorDetail): string;
  /**
   * Returns whether a body has client-side tools that compatible servers don't know; such a body is translated to the
   * same dialect with functions instead.
   */
  hasClientTools?(body: JsonObject): boolean;
  /** Present if chat requests can be translated to another dialect. */
  chat?: ChatCodec;
  /** Codecs of other operations that can be translated to another dialect. */
  clientCodecs?: {
    [Of in keyof NeutralTypes]?: ClientCodec<NeutralTypes[Of]['asked'], NeutralTypes[Of]['answer']>;
  };
  /**
   * Reads the task submission from path and body; absent in dialects without tasks.
   * @throws InvalidRequestError
   */
  readSubmission?(body: JsonObject, route: SubmissionRoute): TaskSubmission & { model?: string };
  /** Merges a follow-up submission with its origin task; if absent, fields that are not repeated keep their values. */
  mergeFollowUp?(origin: TaskOrigin, body: JsonObject): JsonObject;
  /** Encoders for clients that poll their tasks; absent in dialects without tasks. */
  clientTasks?: ClientTasks;
  /** Returns the minimum and maximum number of results; absent if any number is valid. */
  expectedResults?(body: JsonObject): ResultRange;
  /** Returns the requested video. @throws InvalidRequestError */
  decodeVideoRequest?(request: ClientRequest, dropped: string[]): VideoRequest;
}

export interface PendingResponse {
  /** Path below the base URL, or a whole URL; absent: the last polled one. */
  at?: string;
  waitMs: number;
}

export interface PackedBody {
  bytes: Buffer;
  /** Headers of the body, mainly `content-type`, in lower case. */
  headers: Readonly<Record<string, string>>;
}

/** Context for preparing a body. */
export interface PrepareContext extends EncodeOptions {
  submission: TaskSubmission | undefined;
  /** Takes the names of removed fields. */
  dropped: string[];
}

type FormFiles = (name: string) => Buffer | undefined;

/** Facts that a dialect reads in its own way; absent ones are read the same way for all dialects. */
interface DialectFacts
  extends Pick<RequestFacts, 'hasTools' | 'maxOutputTokens' | 'choices' | 'expected'>,
    Partial<Pick<RequestFacts, 'stream' | 'inputTokensEstimate' | 'imageTool'>> {}

/** Response that is neither JSON nor an event stream. */
export interface BinaryResponse {
  /** True if it is forwarded immediately, false if only when complete. */
  isStreamed: boolean;
  /** Content type for the client if the upstream's is not accepted. */
  contentType: string;
  accepted: RegExp;
  /** True if the body is text that the model wrote, false if it is speech. */
  isText: boolean;
  /** Returns the last time in a text, in seconds; absent if texts have no times. */
  lastTimeIn?(text: string): number | undefined;
}

export interface UsageExtractorFactory {
  watch: WatchedKeys;
  /** True if `[DONE]` ends the stream. */
  endsWithDone: boolean;
  /** @param choices number of requested choices */
  create(request: JsonObject, choices: number): UsageExtractor;
}

/** Usage extractor of a passing stream, which parses only few of its events. */
export interface UsageExtractor {
  readonly usage: Usage | undefined;
  readonly finished: boolean;
  /** Characters of content that the scan doesn't find: names of calls, and arguments that are an object. */
  readonly characters?: number;
  /** Number of ended choices; absent in dialects without choices. */
  readonly endedChoices?: number;
  /** Seconds of the delivered audio; absent if its format is unknown. */
  readonly audioSeconds?: number | undefined;
  /** @returns false if the client must not see this event */
  readEvent(event: JsonObject): boolean;
  /** Returns the error of a stream without content; undefined if its end explains that. */
  emptyStreamError?(): UpstreamError | undefined;
}

export interface NonStreamingResponse {
  usage: Usage | undefined;
  /** All text of the model, with the names of its calls. */
  content: readonly string[];
  /** Generated content other than text: base64, or a URL. */
  binaries: readonly string[];
  /** Number of images; absent if the events have all of them. */
  images?: number;
  /** Seconds of a recording, from the last time in its transcript; absent if it has no times. */
  transcribedSeconds?: number | undefined;
  /** Equivalent stream events, in dialects that can be translated. */
  events?: readonly ResponseEvent[];
  /** Vectors of an embeddings response that is to be translated. */
  vectors?: readonly Buffer[];
}

export function toNonStreamingResponse(events: readonly ResponseEvent[]): NonStreamingResponse {
  return {
    usage: events.findLast((event) => event.type === 'usage')?.usage,
    content: events.flatMap((event) => getTextContent(event) ?? []),
    binaries: events.flatMap((event) => getBinaryContent(event) ?? []),
    events,
  };
}

/** Returns the text of an event that the model wrote. A call's name is a part of it: its arguments may be empty. */
export function getTextContent(event: ResponseEvent): string | undefined {
  if (event.type === 'tool-call') return event.name;
  return 'text' in event ? event.text : undefined;
}

/** Returns an event's generated content other than text. */
export function getBinaryContent(event: ResponseEvent): string | undefined {
  if (event.type === 'image' || event.type === 'audio') return event.data;
  return event.type === 'reasoning-proof' && event.signature.kind === 'redacted' ? event.signature.value : undefined;
}

export interface ErrorDetail {
  status: number;
  message: string;
  type?: string | undefined;
  code?: string | undefined;
  /** Vendor's error code, if any. */
  upstreamCode?: string | undefined;
  param?: string | undefined;
  /** Set if the prompt exceeds the model's context. */
  overflow?: ContextOverflow | undefined;
  /** Vendor's refusal, which its own dialect repeats. */
  vendor?: VendorError | undefined;
  /** Error object to be sent unchanged, instead of the other fields. */
  rawError?: JsonObject | undefined;
}

export interface UpstreamChatCodec {
  /** True if the API only streams. */
  onlyStreams?: true;
  /** True if a response may contain several choices; otherwise only the first is delivered. */
  supportsChoices?: boolean;
  /** Pushes the names of unsupported neutral fields to `dropped`. */
  encodeRequest(conversation: Conversation, ask: EncodeOptions, dropped: string[]): Record<string, unknown>;
  createStreamDecoder(lost: UnsupportedFields): StreamDecoder;
  /** Returns a body of this dialect with its system messages as user messages. */
  systemAsUser(body: JsonObject): JsonObject;
}

export interface ChatCodec extends UpstreamChatCodec {
  /** @throws InvalidRequestError when a field has the wrong shape. */
  decodeRequest(body: JsonObject): Conversation;
  /**
   * @param request client's request, which a response may have to repeat
   * @returns the response, or its JSON if that contains text that was serialized before
   */
  encodeResponse(
    events: readonly ResponseEvent[],
    request: ClientRequest,
    lost: UnsupportedFields,
  ): Record<string, unknown> | string;
  /**
   * Does the work on a whole request that its responses need, while the request is planned: for a large one, that is
   * paced. Absent if responses repeat nothing of the request.
   */
  prepareResponses?(request: ClientRequest): void;
  /** @param request client's request, which may have stream options */
  createStreamEncoder(request: ClientRequest, lost: UnsupportedFields): StreamEncoder;
  /** Absent if clients cannot request a count. */
  encodeTokenCount?(tokens: number): Record<string, unknown>;
}

/** Interface of an upstream for an operation other than chat: requests and responses. */
export interface UpstreamCodec<Asked, Answer> {
  /**
   * Pushes the names of unsupported fields to `dropped`.
   * @throws InvalidRequestError when the remaining request would have another meaning
   */
  encodeRequest(asked: Asked, model: string, dropped: string[]): Record<string, unknown>;
  /**
   * @param vectors vectors of an embeddings response, which `answer` contains by their numbers
   * @throws UpstreamError `garbled`
   */
  decodeResponse(answer: JsonObject, lost: UnsupportedFields, vectors: readonly Buffer[]): Answer;
}

/** Interface of a client for such an operation: requests and responses. */
export interface ClientCodec<Asked, Answer> {
  /**
   * Pushes the names of fields without a neutral form to `dropped`.
   * @throws InvalidRequestError when the neutral form cannot express the request
   */
  decodeRequest(body: JsonObject, request: ClientRequest, dropped: string[]): Asked;
  /**
   * @param body client's request. @param usage usage that the upstream reported
   * @returns the response; JSON in pieces, each made when it is read, if it would take long at once
   */
  encodeResponse(
    answer: Answer,
    body: JsonObject,
    request: ClientRequest,
    usage: Usage | undefined,
  ): Record<string, unknown> | string | Buffer | Generator<Buffer>;
}

/** Collector of the names of response fields that the client's dialect doesn't support. */
export interface UnsupportedFields {
  add(name: string): void;
}

/** Decoder of one event's JSON at a time; the caller handles framing and errors. */
export interface StreamDecoder {
  /**
   * Highest usage that the vendor has reported so far. The vendor bills a stream that breaks off, so it is known
   * before the end.
   */
  readonly usage: Usage | undefined;
  /** @param name event name, in dialects whose data doesn't contain it */
  push(event: JsonObject, name?: string): ResponseEvent[];
  /**
   * Returns the events that were held until the end. A stream without a `finish` event was cut.
   * @param isMarked true after `[DONE]`
   */
  end(isMarked: boolean): ResponseEvent[];
}

export interface StreamEncoder {
  /** Characters of content held until the end; absent if none are. */
  readonly heldCharacters?: number;
  push(event: ResponseEvent): string;
  /** Returns the dialect's end of a stream. */
  end(): string;
}

/** Findings of a usage extractor or a translator so far, in constant memory. */
export interface Meter {
  /** Usage as the upstream reported it; undefined before the report. */
  readonly usage: Usage | undefined;
  /**
   * Content characters delivered so far (text, reasoning, tool arguments, and the equivalent of audio and images),
   * for counting unreported usage. Zero if nothing was delivered, otherwise approximate: in passing bytes every
   * string under a content key counts.
   */
  readonly deliveredCharacters: number;
  /** Delivered characters of wide scripts (Chinese, Japanese, Korean, …), which take more tokens per character. */
  readonly deliveredWideCharacters: number;
  /** Part of the delivered characters that stands for audio and images; absent if there is none. */
  readonly deliveredBinaryCharacters?: number | undefined;
  /** Delivered images of a chat; absent if none are counted. */
  readonly deliveredImages?: number | undefined;
  /** Requested choices of a chat that have ended; absent if none are counted. */
  readonly endedChoices?: number | undefined;
  /** Seconds of the delivered audio; absent if its format is unknown. */
  readonly audioSeconds?: number | undefined;
  /** Start of the delivered text, at most 64 kB, for counting its tokens. */
  readonly deliveredSample: string;
  /** Model that the upstream reports; undefined before. */
  readonly servedModel: string | undefined;
  /** Seconds of a recording according to its transcript; absent without times. */
  readonly transcribedSeconds?: number | undefined;
  readonly finished: boolean;
}
