import type { UpstreamError } from '../errors/upstream-error.ts';
import type { Meter } from './dialect.ts';
import type { AcceptedTask } from './task-types.ts';

/** Upstream call: the request to send, and the reader of its response. */
export interface Exchange {
  readonly url: string;
  /** Name, value, name, value, … */
  readonly headers: string[];
  readonly body: Buffer;
  /** Bodies of several calls, if the request takes several; absent: one call with `body`. */
  readonly calls?: JoinedCalls | undefined;
  /** True if the upstream is asked to stream, regardless of the client's request. */
  readonly isStreaming: boolean;
  /** True if the response precedes the work, which continues without a waiting client. */
  readonly isTaskSubmission: boolean;
  /** True if the body lets the model reason, as it asks or by the model's default. */
  readonly enablesReasoning: boolean;
  /** Request fields that the upstream's dialect doesn't support. */
  readonly dropped: readonly string[];
  /**
   * Creates the reader of a 2xx response. @param headers response headers, which distinguish binary content from an
   * error
   */
  readResponse(headers?: ResponseHeaders): ResponseReader;
  /** Reads any other response. The message never contains the channel's credentials. */
  readError(status: number, headers: ResponseHeaders, body: Buffer): UpstreamError;
}

/** Several calls to one URL, whose responses are joined. */
export interface JoinedCalls {
  readonly bodies: readonly Buffer[];
  /** Starts to join the responses of an attempt. */
  join(): JoinedResponses;
}

export interface JoinedResponses {
  /**
   * Adds a 2xx response, in any order.
   * @returns false if it cannot be joined: then it is the response to all
   */
  add(nth: number, answer: Buffer): boolean;
  /** Returns the joined response, after all are added. */
  end(): Buffer;
}

/** GET request for a response that is not ready yet; `again` repeats the last URL. */
export type NextPoll = { waitMs: number } & ({ url: string; headers: string[] } | { again: true });

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface ResponseReader {
  readonly contentType: string;
  readonly meter: Meter;
  /** Fields of the response that the client's dialect doesn't support; grows while the response is read. */
  readonly dropped: readonly string[];
  /** Bytes of memory that the reader needs: held bytes of the response, and their parsed form. */
  readonly heldBytes: number;
  /**
   * Returns the bytes for the client that became known with this chunk, possibly none. Streams come in whole events,
   * so that an error event may follow at any time.
   * @throws UpstreamError `garbled` when the response exceeds the memory limit of a response or an event
   */
  push(chunk: Buffer): Buffer;
  /** Task that the vendor accepted; set after the end. */
  readonly acceptedTask?: AcceptedTask | undefined;
  /**
   * Returns the next request as long as the response is not ready. To be called after the upstream's body has ended
   * and before `end`. Another reader of the same exchange reads the next response.
   * @throws UpstreamError if the response is an error that doesn't concern the task; `end` throws an error of the
   * task
   */
  nextPoll?(): NextPoll | undefined;
  /**
   * Translates the next part of a response whose translation takes long, so that other requests run between the parts.
   * To be called as long as it returns true, before `end`; `end` translates what remains.
   * @throws UpstreamError as `end` does
   */
  translatePart?(): boolean;
  /**
   * Returns the last bytes for the client after the upstream has ended.
   * @throws UpstreamError `garbled` or `overloaded` when the response is invalid (not JSON, an error inside a 200, a
   * stream cut before its end)
   */
  end(): Buffer;
}
