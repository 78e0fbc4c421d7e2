/** Sends the end of a response: a non-streaming body, or an error in the format of the client's dialect. */
import {
  type ClientRequest,
  contentTypeOf,
  type DialectId,
  type ErrorDetail,
  encodeError,
  encodeStreamError,
  encodeTask,
  type RequestRoute,
  type TaskView,
  toDialectError,
  UpstreamError,
} from '@switchyard/relay';
import type { Log } from '../../platform/log.ts';
import type { ClientResponse } from '../http/client-response.ts';
import { sendLimitHeaders } from '../http/rate-limit-headers.ts';
import { type RelayError, type RelayErrorCode, toRelayError } from '../http/relay-error.ts';
import type { LastBytes } from '../http/response-flow.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Client and dialect of a response. */
export interface ResponseContext {
  client: ClientResponse;
  route: Pick<RequestRoute, 'format' | 'framing' | 'stream'>;
  requestId: string;
}

/** @param charge points, sent as a header of a non-streaming response */
export function sendSuccess(
  { client, request }: { client: ClientResponse; request: ClientRequest },
  { contentType, body }: LastBytes,
  charge: number,
): void {
  if (request.facts.stream) {
    client.write(contentType, body);
    client.end('');
    return;
  }
  client.header('x-switchyard-points', String(charge));
  client.send(200, contentType, body);
}

/** Returns the response to a task submission; the task continues, and the client polls it. */
export function buildTaskResponse(format: DialectId, task: TaskView) {
  return buildJsonResponse(encodeTask(format, task, 'orderer'));
}

export function buildJsonResponse(json: string) {
  return { status: 200, contentType: JSON_TYPE, body: Buffer.from(json) };
}

export function sendTask(
  { client, request }: { client: ClientResponse; request: ClientRequest },
  task: TaskView,
): void {
  const { status, contentType, body } = buildTaskResponse(request.format, task);
  client.send(status, contentType, body);
}

/** Sends an error; after the head, as the stream's last event. @returns the error that the client received */
export function sendError(log: Log, answering: ResponseContext, error: unknown): RelayError {
  const { requestId } = answering;
  const known = toRelayError(error);
  if (known.code === 'server_error')
    log.error({ err: error, request_id: requestId }, 'a relayed request failed with an internal error');
  else
    log.info(
      { request_id: requestId, status: known.status, code: known.code, reason: known.message },
      'relayed request refused',
    );
  sendErrorBody(answering, known);
  return known;
}

/** Ends a response with the error of its refusal at once, before the request is charged. */
export function sendRefusal(
  { client, request, requestId }: { client: ClientResponse; request: ClientRequest; requestId: string },
  refusal: RelayError,
): void {
  const detail = toErrorDetail(refusal, requestId);
  if (!client.hasSentHead) {
    const { status } = toDialectError(request.format, detail);
    return client.sendNow(status, JSON_TYPE, encodeError(request.format, detail));
  }
  if (request.framing === 'bytes') return client.disconnect();
  client.endNow(encodeStreamError(request, detail, !client.isDelivering));
}

/**
 * Codes that clients must not retry: official clients read `x-should-retry` before the status, and a spent quota
 * doesn't return within seconds.
 */
const nonRetryableCodes: ReadonlySet<RelayErrorCode> = new Set(['insufficient_user_quota', 'insufficient_token_quota']);

/** An overload without a time to retry after is due to the request itself, which needs too much memory. */
function mustNotRetry({ code, retryAfterSeconds }: RelayError): boolean {
  return nonRetryableCodes.has(code) || (code === 'overloaded' && retryAfterSeconds === undefined);
}

function sendErrorBody({ client, route, requestId }: ResponseContext, known: RelayError): void {
  const detail = toErrorDetail(known, requestId);
  const vendorId = vendorRequestId(known);
  // A byte stream cannot contain an error, so the connection is cut: a broken response must not look complete.
  if (client.hasSentHead && route.framing === 'bytes') return client.disconnect();
  if (!client.hasSentHead) {
    if (known.retryAfterSeconds !== undefined) client.header('retry-after', String(known.retryAfterSeconds));
    if (mustNotRetry(known)) client.header('x-should-retry', 'false');
    if (vendorId !== undefined) client.header('x-switchyard-upstream-request-id', vendorId);
    if (known.rateLimitState !== undefined) sendLimitHeaders(client, [known.rateLimitState]);
    if (isSentInStream(route, known)) client.comment(contentTypeOf('sse'), '');
  }
  if (client.hasSentHead) return client.end(encodeStreamError(route, detail, !client.isDelivering));
  const { status } = toDialectError(route.format, detail);
  client.send(status, JSON_TYPE, encodeError(route.format, detail));
}

/** Returns the vendor's request id of a refused request, for support requests to the vendor. */
function vendorRequestId({ vendor, cause }: RelayError): string | undefined {
  return vendor !== undefined && cause instanceof UpstreamError ? cause.requestId : undefined;
}

/**
 * Returns whether a context overflow is sent as a stream event. OpenAI reports it within the stream, and Codex looks
 * for it only there: https://github.com/openai/codex. An upstream's own 400 for it stays a 400.
 */
function isSentInStream(
  { format, stream }: ResponseContext['route'],
  { overflow, vendor, cause }: RelayError,
): boolean {
  if (overflow === undefined || stream !== true || format !== 'openai-responses') return false;
  const isWritten = vendor?.shape === 'openai' && vendor.code === 'context_length_exceeded';
  return !isWritten || (cause instanceof UpstreamError && cause.status === 200);
}

/**
 * Adds the request id, by which an operator finds the request, to the message that OpenAI's and Anthropic's clients
 * show. A vendor's refusal keeps its own text, by which agents recognize it.
 */
function toErrorDetail(
  { status, message, code, param, vendor, overflow, cause }: RelayError,
  requestId: string,
): ErrorDetail {
  const isVendors = vendor !== undefined || overflow !== undefined;
  const words = isVendors ? message : `${message} (request id: ${requestId})`;
  const upstreamCode = cause instanceof UpstreamError ? cause.code : undefined;
  return { status, message: words, code, upstreamCode, param, vendor, overflow };
}
