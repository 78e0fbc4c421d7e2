import type { JsonObject } from '../json/json.ts';
import type { ContextOverflow } from './context-overflow.ts';

/**
 * Failure class of an upstream call, for retry, cooldown and auto-disable.
 * - `rate-limited`: another channel is tried, and this one gets a cooldown
 * - `out-of-credit`, `unauthorised`: the channel's account or key is at fault
 * - `rejected`: the client's request is at fault; another channel would refuse it too
 * - `untranslatable`: the channel's dialect cannot express the request; nothing was sent
 * - `overloaded`: the vendor failed (5xx, or an error inside a 200)
 * - `unreachable`: no connection, or no response within the deadline
 * - `garbled`: a response that is not in the vendor's format
 */
export type UpstreamErrorKind =
  | 'rate-limited'
  | 'out-of-credit'
  | 'unauthorised'
  | 'rejected'
  | 'untranslatable'
  | 'overloaded'
  | 'unreachable'
  | 'garbled';

/**
 * What a vendor bills in spite of a refusal: a fee, for which prices have no rate, the prompt, or the result that it
 * withholds.
 */
export type RefusalBilling = 'fee' | 'prompt' | 'result';

/**
 * Phase of a call that has a deadline. `idle` lasts from one content of a stream to the next, `total` until the end of
 * the response.
 */
export type TimedPhase = 'connect' | 'first-byte' | 'first-content' | 'idle' | 'total';

export interface UpstreamTimeout {
  phase: TimedPhase;
  /** Milliseconds that the phase may last. */
  limitMs: number;
}

interface UpstreamErrorDetail {
  /** HTTP status of the upstream's response, or the equivalent of an error inside a 200; 0 without a response. */
  status: number;
  /** Vendor's code and type, if any. */
  code?: string | undefined;
  type?: string | undefined;
  /** Delay in milliseconds from `Retry-After` or `retry-after-ms`. */
  retryAfterMs?: number | undefined;
  /** Deadline of the gateway's own that has passed. */
  timeout?: UpstreamTimeout | undefined;
  /** True if the vendor reports a lack of capacity, which is no defect. */
  isOverload?: boolean;
  /**
   * True for a response beyond the gateway's limits. Its request is the reason: another channel would respond alike, and
   * the vendor bills it.
   */
  isTooLarge?: boolean;
  /** Set if the vendor bills the request although it refuses it for the content. */
  billing?: RefusalBilling | undefined;
  /** Set if the prompt exceeds the model's context. */
  overflow?: ContextOverflow | undefined;
  /** Error that a client may see, if the request is at fault. */
  vendor?: VendorError | undefined;
  /** Vendor's request id, for its support. */
  requestId?: string | undefined;
  cause?: unknown;
}

/** `message` may contain the vendor's text, which must be redacted before a client sees it. */
export class UpstreamError extends Error {
  readonly kind: UpstreamErrorKind;
  readonly status: number;
  readonly code: string | undefined;
  readonly type: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly timeout: UpstreamTimeout | undefined;
  readonly isOverload: boolean;
  readonly isTooLarge: boolean;
  readonly billing: RefusalBilling | undefined;
  readonly overflow: ContextOverflow | undefined;
  readonly vendor: VendorError | undefined;
  readonly requestId: string | undefined;

  constructor(kind: UpstreamErrorKind, message: string, detail: UpstreamErrorDetail) {
    super(message, { cause: detail.cause });
    this.name = 'UpstreamError';
    this.kind = kind;
    this.status = detail.status;
    this.code = detail.code;
    this.type = detail.type;
    this.retryAfterMs = detail.retryAfterMs;
    this.timeout = detail.timeout;
    this.isOverload = detail.isOverload ?? false;
    this.isTooLarge = detail.isTooLarge ?? false;
    this.billing = detail.billing;
    this.overflow = detail.overflow;
    this.vendor = detail.vendor;
    this.requestId = detail.requestId;
  }
}

/** Error shapes that clients and vendors may share; `own` is any other dialect's. */
export type ErrorShape = 'openai' | 'anthropic' | 'google' | 'own';

/** Error in its vendor's form, for clients that read the same shape. */
export interface VendorError {
  /** Shape of the error object; undefined if no client reads it. */
  shape: Exclude<ErrorShape, 'own'> | undefined;
  /** HTTP status, or the equivalent of an error inside a 200. */
  status: number;
  /** Error object without secrets and account data; empty if its shape is unknown. */
  error: JsonObject;
  /** Message without secrets and account data. */
  message: string;
  code: string | undefined;
  param: string | undefined;
  /** Request id that Anthropic repeats in the body. */
  requestId: string | undefined;
}

export function garbledError(message: string): UpstreamError {
  return new UpstreamError('garbled', message, { status: 200 });
}

/** Returns the error of a response beyond the gateway's limits. */
export function tooLargeError(message: string): UpstreamError {
  return new UpstreamError('garbled', message, { status: 200, isTooLarge: true });
}

/** Serializes an object of an upstream. @throws UpstreamError when it is nested too deeply to be serialized */
export function stringifyVendorJson(value: JsonObject): string {
  try {
    return JSON.stringify(value);
  } catch {
    throw tooLargeError('The upstream sent a response that is nested too deeply.');
  }
}

export function emptyResponseError(): UpstreamError {
  return failedResponseError('The upstream sent an empty response.', 'empty_answer');
}

/** Returns the error of a response that ended without an answer; another channel may give one. */
export function failedResponseError(message: string, code: string): UpstreamError {
  return new UpstreamError('overloaded', message, { status: 200, code });
}

export function cutStreamError(): UpstreamError {
  return new UpstreamError('overloaded', 'The upstream ended the stream before the response was complete.', {
    status: 200,
    code: 'stream_cut',
  });
}
