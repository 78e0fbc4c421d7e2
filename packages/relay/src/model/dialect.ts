/**
 * One wire dialect as pure functions. A format knows no vendor and does no input or output.
 * A complete answer decodes into the same events that a stream yields, so that usage, finish reasons and
 * tool calls are mapped once.
 */

import type { ContextOverflow } from '../errors/context-overflow.ts';
import type { UpstreamError } from '../errors/upstream-error.ts';
import type { VendorError } from '../errors/vendor-error.ts';
import type { JsonObject } from '../json/json.ts';
import type { WatchedKeys } from '../wire/event-scan.ts';
import type { ClientRequest, RequestFacts, SubmissionRoute, TaskSubmission } from './client-request.ts';
import type { Conversation, EncodeOptions, ResponseEvent } from './conversation.ts';
import type { DialectId, Operation, UpstreamDialectId } from './dialect-id.ts';
import type { EmbeddingsRequest, Vector } from './embeddings.ts';
import type { NeutralTypes, ResultRange } from './neutral-requests.ts';
import type { ClientTasks, UpstreamTasks, VideoRequest, VideoSubmission } from './task-types.ts';
import type { Usage } from './usage.ts';

/** Interface of a dialect that upstreams speak: reading its responses, and encoding requests of other dialects. */
export interface UpstreamDialect {
  id: UpstreamDialectId;
  operation: Operation;
  /** Absent when the dialect cannot stream, or no stream of it passes through. */
  usageExtractor?: UsageExtractorFactory;
  /**
   * @param lost takes the names of what the neutral form cannot say
   * @param request of the client, which may say what the answer does not repeat
   */
  readNonStreaming(answer: JsonObject, lost: UnsupportedFields, request: JsonObject): NonStreamingResponse;
  /** An upstream may answer a request for a stream whole, because of the model. */
  mayIgnoreStream?: true;
  /** Absent where every answer is JSON, or a stream of events. Undefined for a request whose answer is. */
  binaryResponse?(body: JsonObject): BinaryResponse | undefined;
  /**
   * Returns the number of vectors or scores in a response; absent if no number of results is expected.
   * @throws UpstreamError `garbled` when one of them is empty
   */
  resultCount?(answer: JsonObject): number;
  /** A member that an answer lacks and that clients of the dialect expect; the same object when it lacks none. */
  completeResponse?(answer: JsonObject, request: ClientRequest): JsonObject;
  /** Present when another dialect can be turned into this one. */
  chat?: UpstreamChatCodec;
  /** The same of embeddings. */
  embeddings?: UpstreamEmbeddingsCodec;
  /** The same of its operation, where it is none of these. */
  upstreamCodecs?: {
    [Of in keyof NeutralTypes]?: UpstreamCodec<NeutralTypes[Of]['asked'], NeutralTypes[Of]['answer']>;
  };
  /** Returns where to poll for a response that is not ready. Absent in dialects whose responses are always ready. */
  readPending?(answer: JsonObject): PendingResponse | undefined;
  /** Present where the answer only says that the work was taken on. */
  upstreamTasks?: UpstreamTasks;
  /**
   * Present when another dialect's request for a film can be turned into this one.
   * @throws InvalidRequest when the vendor makes nothing like it
   */
  encodeVideoSubmission?(asked: VideoRequest, model: string, dropped: string[]): VideoSubmission;
  /** Encodes a body of this dialect for sending; JSON if absent. */
  pack?(body: JsonObject): PackedBody;
}

/** Interface of a dialect that clients speak; an upstream may speak it, too. */
export interface Dialect extends UpstreamDialect {
  id: DialectId;
  /** The model of a request that names none; where it is absent, a request must name one. */
  defaultModel?: string;
  /** @param files of a form, by the name of their field. @throws InvalidRequest */
  readFacts(body: JsonObject, files: FormFiles, order?: TaskSubmission): DialectFacts;
  /**
   * The client's request as the upstream must see it: asking for the model by its name there, and so that the answer
   * can be metered; the same object if it does.
   */
  prepare(body: JsonObject, asking: PrepareContext): JsonObject;
  encodeError(error: ErrorDetail): string;
  /** Encodes an error as a server-sent event, or as the dialect's equivalent. */
  encodeStreamError(error: ErrorDetail): string;
  /**
   * Returns true if a body has tools that the client runs itself and that imitators of the dialect don't know; for
   * these it is translated to the same dialect, with functions in their place.
   */
  hasClientTools?(body: JsonObject): boolean;
  /** Present when the dialect can be turned into another one. */
  chat?: ChatCodec;
  /** The same of embeddings. */
  embeddings?: EmbeddingsCodec;
  /** The same of its operation, where it is none of these. */
  clientCodecs?: {
    [Of in keyof NeutralTypes]?: ClientCodec<NeutralTypes[Of]['asked'], NeutralTypes[Of]['answer']>;
  };
  /**
   * Reads the task submission from path and body; absent in dialects without tasks.
   * @throws InvalidRequest
   */
  readSubmission?(body: JsonObject, route: SubmissionRoute): TaskSubmission & { model?: string };
  /** Merges a follow-up submission with its origin task; if absent, fields that are not repeated keep their values. */
  mergeFollowUp?(origin: JsonObject, body: JsonObject): JsonObject;
  /** Encoders for clients that poll their tasks; absent in dialects without tasks. */
  clientTasks?: ClientTasks;
  /** Returns the fewest and the most results that a request may get; absent where any number is right. */
  expectedResults?(body: JsonObject): ResultRange;
  /** The film that a request asks for. @throws InvalidRequest */
  decodeVideoRequest?(request: ClientRequest, dropped: string[]): VideoRequest;
}

export interface PendingResponse {
  /** A path below the base URL, or a whole address; where it was asked for last where absent. */
  at?: string;
  waitMs: number;
}

export interface PackedBody {
  bytes: Buffer;
  /** Headers of the body, above all `content-type`; names in lower case. */
  headers: Readonly<Record<string, string>>;
}

/** Context for preparing a body. */
export interface PrepareContext extends EncodeOptions {
  submission: TaskSubmission | undefined;
  /** Takes the names of fields that are left out. */
  dropped: string[];
}

type FormFiles = (name: string) => Buffer | undefined;

/** Facts that a dialect reads in its own way; absent ones are read the same way for all dialects. */
interface DialectFacts
  extends Pick<RequestFacts, 'hasTools' | 'maxOutputTokens' | 'choices' | 'expected'>,
    Partial<Pick<RequestFacts, 'stream' | 'inputTokensEstimate' | 'imageTool'>> {}

/** An answer that is neither JSON nor events. */
export interface BinaryResponse {
  /** Handed on as it comes; else when it is complete. */
  isStreamed: boolean;
  /** Content type for the client if the upstream's is not accepted. */
  contentType: string;
  accepted: RegExp;
  /** True if the body is text that the model wrote, false if it is speech. */
  isText: boolean;
  /** Returns the last time in a text, in seconds; absent where no text has times. */
  lastTimeIn?(text: string): number | undefined;
}

export interface UsageExtractorFactory {
  watch: WatchedKeys;
  /** True if `[DONE]` ends the stream. */
  endsWithDone: boolean;
  /** @param choices how many answers were asked for */
  create(request: JsonObject, choices: number): UsageExtractor;
}

/** Follows a passing stream by the few events that are worth parsing. */
export interface UsageExtractor {
  readonly usage: Usage | undefined;
  readonly finished: boolean;
  /** Characters of content that is no string under a key of its own, for instance arguments that are an object. */
  readonly characters?: number;
  /** @returns false when the client must not see this event. */
  readEvent(event: JsonObject): boolean;
  /** Returns why a stream that ended without any content is no answer; undefined when its end explains that. */
  emptyStreamError?(): UpstreamError | undefined;
}

export interface NonStreamingResponse {
  usage: Usage | undefined;
  /** Everything the model wrote. */
  content: readonly string[];
  /** Generated content other than text: base64, or a URL. */
  binaries: readonly string[];
  /** Seconds of a recording, by the last time in its transcript; absent where it has no times. */
  transcribedSeconds?: number | undefined;
  /** The same as a stream would tell it; of dialects that can be turned into another one. */
  events?: readonly ResponseEvent[];
}

export function toNonStreamingResponse(events: readonly ResponseEvent[]): NonStreamingResponse {
  return {
    usage: events.findLast((event) => event.type === 'usage')?.usage,
    content: events.flatMap((event) => ('text' in event ? [event.text] : [])),
    binaries: events.flatMap((event) => getBinaryContent(event) ?? []),
    events,
  };
}

/** Returns the generated content of an event that is not text. */
export function getBinaryContent(event: ResponseEvent): string | undefined {
  if (event.type === 'image' || event.type === 'audio') return event.data;
  return event.type === 'reasoning-proof' && event.signature.kind === 'redacted' ? event.signature.value : undefined;
}

export interface ErrorDetail {
  status: number;
  message: string;
  type?: string | undefined;
  code?: string | undefined;
  /** The vendor's code, where the error is one of its own. */
  upstreamCode?: string | undefined;
  param?: string | undefined;
  /** The prompt does not fit into the model's context. */
  overflow?: ContextOverflow | undefined;
  /** The vendor's refusal, which its own dialect repeats. */
  vendor?: VendorError | undefined;
  /** The error's object to be sent as it is, instead of what these say. */
  rawError?: JsonObject | undefined;
}

export interface UpstreamChatCodec {
  /** No answer comes whole. */
  onlyStreams?: true;
  /** True if a response may contain several choices; otherwise only the first is delivered. */
  supportsChoices?: boolean;
  /** Names of neutral fields that this dialect cannot express are pushed to `dropped`. */
  encodeRequest(conversation: Conversation, ask: EncodeOptions, dropped: string[]): Record<string, unknown>;
  createStreamDecoder(lost: UnsupportedFields): StreamDecoder;
  /** Returns a body of this dialect with its system messages as user messages. */
  systemAsUser(body: JsonObject): JsonObject;
}

export interface ChatCodec extends UpstreamChatCodec {
  /** @throws InvalidRequest when a field has the wrong shape. */
  decodeRequest(body: JsonObject): Conversation;
  /** @param request of the client, which an answer may have to repeat. */
  encodeResponse(
    events: readonly ResponseEvent[],
    request: ClientRequest,
    lost: UnsupportedFields,
  ): Record<string, unknown>;
  /** @param request of the client, which may ask for more or less in its stream. */
  createStreamEncoder(request: ClientRequest, lost: UnsupportedFields): StreamEncoder;
  /** Absent where clients have no way to ask for it. */
  encodeTokenCount?(tokens: number): Record<string, unknown>;
}

/** Interface of an upstream for an operation other than chat: requests and responses. */
export interface UpstreamCodec<Asked, Answer> {
  /**
   * Names of what this dialect cannot express are pushed to `dropped`.
   * @throws InvalidRequest when what is left would not be what was asked for.
   */
  encodeRequest(asked: Asked, model: string, dropped: string[]): Record<string, unknown>;
  /** @throws UpstreamError `garbled` */
  decodeResponse(answer: JsonObject, lost: UnsupportedFields): Answer;
}

/** Interface of a client for such an operation: requests and responses. */
export interface ClientCodec<Asked, Answer> {
  /**
   * Names of fields that are nowhere understood are pushed to `dropped`.
   * @throws InvalidRequest when it asks for more than the neutral form can say.
   */
  decodeRequest(body: JsonObject, request: ClientRequest, dropped: string[]): Asked;
  /** @param body the client's request. @param usage as the upstream reported it */
  encodeResponse(
    answer: Answer,
    body: JsonObject,
    request: ClientRequest,
    usage: Usage | undefined,
  ): Record<string, unknown> | string | Buffer;
}

export type UpstreamEmbeddingsCodec = UpstreamCodec<EmbeddingsRequest, Vector[]>;
export interface EmbeddingsCodec extends UpstreamEmbeddingsCodec, ClientCodec<EmbeddingsRequest, Vector[]> {}

/** Takes the names of what an answer said and its reader's dialect cannot. */
export interface UnsupportedFields {
  add(name: string): void;
}

/** One event's JSON at a time; framing and errors are the caller's. */
export interface StreamDecoder {
  /** The most that the vendor has reported so far. It bills a stream that breaks off, so it is known before the end. */
  readonly usage: Usage | undefined;
  /** @param name of the event, where it is not told by its data */
  push(event: JsonObject, name?: string): ResponseEvent[];
  /**
   * Returns the events that were held back until the end. A stream without any `finish` event was cut.
   * @param isMarked `[DONE]` came
   */
  end(isMarked: boolean): ResponseEvent[];
}

export interface StreamEncoder {
  /** Characters of content that is kept for the end; absent where none is. */
  readonly heldCharacters?: number;
  push(event: ResponseEvent): string;
  /** The dialect's own end of stream. */
  end(): string;
}

/** Findings of a usage extractor for passing bytes, or of a translator, so far. Constant in memory. */
export interface Meter {
  /** Usage as the upstream reported it; undefined before the report. */
  readonly usage: Usage | undefined;
  /**
   * Content characters delivered so far (text, reasoning, tool arguments, and what sound and pictures come to), for
   * counting when nothing is reported. Zero as long as nothing was delivered; else close, not exact: in passing bytes a
   * string under a content key counts wherever it stands.
   */
  readonly deliveredCharacters: number;
  /** Those among them of wide scripts (Chinese, Japanese, Korean, …), which take more tokens per character. */
  readonly deliveredWideCharacters: number;
  /** The beginning of what was delivered, at most 64 kB, in case its tokens have to be counted. */
  readonly deliveredSample: string;
  /** The model by which the upstream says that it answered; undefined until it did. */
  readonly servedModel: string | undefined;
  /** Seconds of a recording that its transcript says that it has heard; absent where it says none. */
  readonly transcribedSeconds?: number | undefined;
  readonly finished: boolean;
}
