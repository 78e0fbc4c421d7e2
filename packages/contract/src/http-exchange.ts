/** Untyped HTTP exchange, for what must work before the schema library is loaded. */

import type { Envelope, ErrorCode, FieldError } from './errors.ts';
import type { FailureClass } from './wire-enums.ts';

export class ApiError extends Error {
  readonly code: ErrorCode | 'unreachable';
  readonly status: number;
  readonly fields: readonly FieldError[];
  readonly requestId: string | undefined;
  /** Seconds after which a retry may succeed. */
  readonly retryAfterSeconds: number | undefined;
  /** Failure class of a failed call to a provider. */
  readonly problem: FailureClass | undefined;

  constructor(
    code: ErrorCode | 'unreachable',
    message: string,
    detail: {
      status: number;
      fields?: readonly FieldError[] | undefined;
      requestId?: string | undefined;
      retryAfterSeconds?: number | undefined;
      problem?: FailureClass | undefined;
    },
  ) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.status = detail.status;
    this.fields = detail.fields ?? [];
    this.requestId = detail.requestId;
    this.retryAfterSeconds = detail.retryAfterSeconds;
    this.problem = detail.problem;
  }
}

export interface WireRequest {
  method: string;
  /** Path that begins with `/api`. */
  path: string;
  body?: string | undefined;
  /** Sent as `Idempotency-Key`: a repeated key causes no second change. */
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
}

export interface WireResponse {
  status: number;
  text: string;
}

/** Performs one HTTP exchange. Rejects only when no response arrives. */
export type Send = (request: WireRequest) => Promise<WireResponse>;

/**
 * Returns the `data` of a response's envelope without validation.
 * @throws ApiError when the server refused, or the response is not the server's
 */
export function unwrapEnvelope(answer: WireResponse): unknown {
  const envelope = parseEnvelope(answer);
  if (envelope.success) return envelope.data ?? null;
  throw new ApiError(envelope.code, envelope.message, {
    status: answer.status,
    fields: envelope.fields,
    requestId: envelope.request_id,
    retryAfterSeconds: envelope.retry_after,
    problem: envelope.problem,
  });
}

function parseEnvelope(answer: WireResponse): Envelope<unknown> {
  try {
    const parsed: unknown = JSON.parse(answer.text);
    if (typeof parsed === 'object' && parsed !== null && 'success' in parsed) return parsed as Envelope<unknown>;
  } catch {
    // A proxy answered with something else than JSON.
  }
  throw new ApiError('unreachable', `HTTP ${answer.status}`, { status: answer.status });
}
