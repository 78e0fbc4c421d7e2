/**
 * One wire dialect as pure functions. A format knows no vendor and does no input or output.
 * A complete answer decodes into the same events that a stream yields, so that usage, finish reasons and
 * tool calls are mapped once.
 */
import type { AnswerEvent, Conversation } from './conversation.ts';
import type { FormatId } from './provider.ts';
import type { Usage } from './usage.ts';

export interface ChatFormat {
  id: FormatId;
  /** @throws InvalidRequest when a field has the wrong shape. */
  decodeRequest(body: Record<string, unknown>): Conversation;
  /** Names of neutral fields that this dialect cannot express are pushed to `dropped`. */
  encodeRequest(conversation: Conversation, dropped: string[]): Record<string, unknown>;
  decodeAnswer(body: unknown): AnswerEvent[];
  createStreamDecoder(): StreamDecoder;
  encodeAnswer(events: readonly AnswerEvent[]): Record<string, unknown>;
  createStreamEncoder(options: StreamEncoderOptions): StreamEncoder;
}

export interface StreamDecoder {
  push(chunk: Uint8Array): AnswerEvent[];
  end(): AnswerEvent[];
}

export interface StreamEncoderOptions {
  /** OpenAI chat only: the client asked for the usage chunk. */
  includeUsage: boolean;
}

export interface StreamEncoder {
  push(event: AnswerEvent): string;
  /** The dialect's own end of stream. Not called after an `error` event. */
  end(): string;
}

/** What a tap on passing bytes, or a translator, has learned so far. Constant in memory. */
export interface Meter {
  /** As the upstream reported it; undefined until it did. */
  readonly usage: Usage | undefined;
  /** Content characters delivered so far (text, reasoning, tool arguments), for counting when nothing is reported. */
  readonly deliveredCharacters: number;
  readonly finished: boolean;
  /** An error that the upstream wrote into a 200 answer. */
  readonly error: { message: string; code?: string | undefined } | undefined;
}

/** The client's request is not what its dialect allows. `message` is safe to show. */
export class InvalidRequest extends Error {
  readonly param: string | undefined;
  constructor(message: string, param?: string) {
    super(message);
    this.name = 'InvalidRequest';
    this.param = param;
  }
}
