import type { UpstreamError } from '../errors/upstream-error.ts';
import type { Framing } from './client-request.ts';
import type { Meter } from './dialect.ts';
import type { AcceptedTask } from './task-types.ts';

/** One upstream call: what to send, and how to read what comes back. */
export interface Exchange {
  readonly url: string;
  /** Name, value, name, value, … */
  readonly headers: string[];
  readonly body: Buffer;
  /** Present where the vendor takes as many calls as this has bodies; absent: one call, with `body`. */
  readonly calls?: JoinedCalls | undefined;
  /** True if the upstream is asked to stream, regardless of the client's request. */
  readonly isStreaming: boolean;
  /** It is answered before the work is done, which goes on whether or not anybody waits for the answer. */
  readonly isTaskSubmission: boolean;
  /** Fields of the client's request that the upstream's dialect cannot carry. */
  readonly dropped: readonly string[];
  /** Starts to read a 2xx answer. @param headers of the answer, by which plain bytes are told from an error */
  readResponse(headers?: ResponseHeaders): ResponseReader;
  /** Reads any other answer. The message never contains the channel's credentials. */
  readError(status: number, headers: ResponseHeaders, body: Buffer): UpstreamError;
}

/** Several calls to one address, whose answers are read as one. */
export interface JoinedCalls {
  readonly bodies: readonly Buffer[];
  /** Begins to join the answers of an attempt. */
  join(): JoinedResponses;
}

export interface JoinedResponses {
  /**
   * Adds a 2xx answer, in any order.
   * @returns false when it is none that can be joined: then it is the answer to all
   */
  add(nth: number, answer: Buffer): boolean;
  /** Returns the one answer, once all are added. */
  end(): Buffer;
}

/** A GET by which to ask for an answer that is not ready yet; `again` where the last one was sent to. */
export type NextPoll = { waitMs: number } & ({ url: string; headers: string[] } | { again: true });

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface ResponseReader {
  readonly contentType: string;
  readonly meter: Meter;
  /** Fields of the response that the client's dialect doesn't support; grows while the response is read. */
  readonly dropped: readonly string[];
  /** Memory that the reader needs for what it holds: bytes of the response, and what a parse of them will take. */
  readonly heldBytes: number;
  /**
   * Bytes for the client that became known with this chunk; empty when there are none yet. Streams come in
   * whole events, so that an error event may follow at any time.
   * @throws UpstreamError `garbled` when the answer exceeds what is held in memory for one answer or one event.
   */
  push(chunk: Buffer): Buffer;
  /** After the end: what the vendor has taken an order for. */
  readonly acceptedTask?: AcceptedTask | undefined;
  /**
   * Returns the next request as long as the response is not ready. Call it after the upstream's body has ended and
   * before `end`. Another reader of the same exchange reads the next response.
   * @throws UpstreamError if the response is an error that doesn't concern the task; an error of the task is thrown by
   * `end`
   */
  nextPoll?(): NextPoll | undefined;
  /**
   * The upstream ended. Returns the last bytes for the client.
   * @throws UpstreamError `garbled` or `overloaded` when the answer is no answer (not JSON, an error inside a 200,
   * a stream cut before its end).
   */
  end(): Buffer;
}

export function contentTypeOf(framing: Framing): string {
  return framing === 'sse' ? 'text/event-stream; charset=utf-8' : 'application/json; charset=utf-8';
}
