import type { ContextOverflow } from './context-overflow.ts';
import type { VendorError } from './vendor-error.ts';

/**
 * Why an upstream call failed, in the few words that retry, cooldown and auto-disable need.
 * - `rate-limited`: try another channel, let this one rest
 * - `out-of-credit`, `unauthorised`: the channel's account or key is at fault
 * - `rejected`: the client's request is at fault; another channel would refuse it too
 * - `untranslatable`: the request cannot be said in the dialect of this channel; nothing was sent
 * - `overloaded`: the vendor failed (5xx, or an error inside a 200)
 * - `unreachable`: no connection, or no answer within the deadline
 * - `garbled`: an answer that is not in the vendor's format
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

interface UpstreamErrorDetail {
  /** HTTP status of the upstream's answer, or the one that it should have had; 0 when there was none. */
  status: number;
  /** Vendor's own code and type, where it gave them. */
  code?: string | undefined;
  type?: string | undefined;
  /** Delay in milliseconds from `Retry-After` or `retry-after-ms`. */
  retryAfterMs?: number | undefined;
  /** The vendor said that it has no capacity at the moment, which is no defect. */
  isOverload?: boolean;
  /** The prompt does not fit into the model's context. */
  overflow?: ContextOverflow | undefined;
  /** The error that a client may see, where the request is at fault. */
  vendor?: VendorError | undefined;
  /** The vendor's id of the request, for its support. */
  requestId?: string | undefined;
  cause?: unknown;
}

/** `message` may contain the vendor's words; scrub it before a client sees it. */
export class UpstreamError extends Error {
  readonly kind: UpstreamErrorKind;
  readonly status: number;
  readonly code: string | undefined;
  readonly type: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly isOverload: boolean;
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
    this.isOverload = detail.isOverload ?? false;
    this.overflow = detail.overflow;
    this.vendor = detail.vendor;
    this.requestId = detail.requestId;
  }
}
