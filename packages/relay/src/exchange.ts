import type { Meter } from './format.ts';
import type { FormatId, Operation } from './provider.ts';
import type { UpstreamError } from './upstream-error.ts';
import type { Usage } from './usage.ts';
import type { Form } from './wire/form.ts';

/** The few facts that admission and routing need from a request body. */
export interface RequestFacts {
  model: string;
  stream: boolean;
  hasTools: boolean;
  /** Rough size of the prompt, for the hold. */
  inputTokensEstimate: number;
  /** The client's cap on output tokens, if it set one. */
  maxOutputTokens: number | undefined;
  /** How many answers were asked for (`n`). */
  choices: number;
  /** What the request alone lets expect, apart from its text: of operations that are billed by the unit. */
  expected?: Expected | undefined;
}

/** Serves the hold, and the charge where the upstream reports nothing. */
export interface Expected {
  /** What is counted beside tokens. */
  unit: 'image' | 'second' | 'character';
  usage: Usage;
  /** The units are counted, not estimated. */
  isCounted: boolean;
}

/** What an address says of a request before its body is read. */
export interface RequestRoute {
  operation: Operation;
  format: FormatId;
  /** Where the dialect has it in the path, not in the body; so with `stream`. */
  model?: string;
  stream?: boolean;
  framing?: Framing;
  /** What the body may be beside JSON, or instead of it. */
  form?: 'also' | 'only';
}

/**
 * How the events of a stream follow each other. Gemini's are a JSON array unless asked for as events. Sound and text
 * come as plain bytes, among which no error can be told.
 */
export type Framing = 'sse' | 'json-array' | 'bytes';

export interface ClientRequest {
  operation: Operation;
  format: FormatId;
  framing: Framing;
  body: Buffer;
  /** Where the fields stand in the body, when it is a form. */
  form?: Form | undefined;
  /** The parsed body; never written to. */
  json: Readonly<Record<string, unknown>>;
  facts: RequestFacts;
  /** Headers of the client that a vendor may need to see (`anthropic-beta`, `anthropic-version`, …), lower case. */
  headers: Readonly<Record<string, string>>;
}

/** One upstream call: what to send, and how to read what comes back. */
export interface Exchange {
  readonly url: string;
  /** Name, value, name, value, … */
  readonly headers: string[];
  readonly body: Buffer;
  /** Whether the upstream is asked to stream, whatever the client wants. */
  readonly streams: boolean;
  /** Fields of the client's request that the upstream's dialect cannot carry. */
  readonly dropped: readonly string[];
  /** Starts to read a 2xx answer. @param headers of the answer, by which plain bytes are told from an error */
  readAnswer(headers?: ResponseHeaders): AnswerReader;
  /** Reads any other answer. The message never contains the channel's credentials. */
  readError(status: number, headers: ResponseHeaders, body: Buffer): UpstreamError;
}

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface AnswerReader {
  readonly contentType: string;
  readonly meter: Meter;
  /** What the answer said and the client's dialect cannot; grows while it is read. */
  readonly dropped: readonly string[];
  /**
   * Bytes for the client that became known with this chunk; empty when there are none yet. Streams come in
   * whole events, so that an error event may follow at any time.
   * @throws UpstreamError `garbled` when the answer exceeds what is held in memory for one answer or one event.
   */
  push(chunk: Buffer): Buffer;
  /**
   * The upstream ended. Returns the last bytes for the client.
   * @throws UpstreamError `garbled` or `overloaded` when the answer is no answer (not JSON, an error inside a 200,
   * a stream cut before its end).
   */
  end(): Buffer;
}
