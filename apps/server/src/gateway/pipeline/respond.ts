/** The client's last bytes: a whole answer, or an error in the shape of the dialect that the client speaks. */
import {
  type ClientRequest,
  contentTypeOf,
  type DialectId,
  type ErrorDetail,
  encodeError,
  encodeStreamError,
  type RequestRoute,
  type TaskView,
  tellTask,
  toDialectError,
  UpstreamError,
} from '@switchyard/relay';
import type { Log } from '../../platform/log.ts';
import type { ClientResponse } from '../http/client-response.ts';
import { sendLimitHeaders } from '../http/rate-limit-state.ts';
import { type RelayError, type RelayErrorCode, toRelayError } from '../http/relay-error.ts';
import type { LastBytes } from '../http/response-flow.ts';

/** Whom an answer goes to, and in which dialect. */
export interface ResponseContext {
  client: ClientResponse;
  route: Pick<RequestRoute, 'format' | 'framing' | 'stream'>;
  requestId: string;
}

/** @param charge points, told with a whole answer */
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

/** Returns the response to a task submission: the task goes on, and its state is queried later. */
export function buildTaskResponse(format: DialectId, task: TaskView) {
  return buildJsonResponse(tellTask(format, task, 'orderer'));
}

export function buildJsonResponse(json: string) {
  return { status: 200, contentType: 'application/json; charset=utf-8', body: Buffer.from(json) };
}

export function sendTask(
  { client, request }: { client: ClientResponse; request: ClientRequest },
  task: TaskView,
): void {
  const { status, contentType, body } = buildTaskResponse(request.format, task);
  client.send(status, contentType, body);
}

/** Once the head has gone out, an error can only be the stream's last event. @returns what the client was told */
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

/** Official clients read it before they look at the status: what is spent is not there a second later. */
const nonRetryableCodes: ReadonlySet<RelayErrorCode> = new Set(['insufficient_user_quota', 'insufficient_token_quota']);

function sendErrorBody({ client, route, requestId }: ResponseContext, known: RelayError): void {
  const detail = toErrorDetail(known, requestId);
  const vendorId = vendorRequestId(known);
  // Among plain bytes nothing can be said; what is broken must not look complete.
  if (client.hasSentHead && route.framing === 'bytes') return client.disconnect();
  if (!client.hasSentHead) {
    if (known.retryAfterSeconds !== undefined) client.header('retry-after', String(known.retryAfterSeconds));
    if (nonRetryableCodes.has(known.code)) client.header('x-should-retry', 'false');
    if (vendorId !== undefined) client.header('x-switchyard-upstream-request-id', vendorId);
    if (known.rateLimitState !== undefined) sendLimitHeaders(client, [known.rateLimitState]);
    if (isSentInStream(route, known)) client.comment(contentTypeOf('sse'), '');
  }
  if (client.hasSentHead) return client.end(encodeStreamError(route, detail, !client.isDelivering));
  const { status } = toDialectError(route.format, detail);
  client.send(status, 'application/json; charset=utf-8', encodeError(route.format, detail));
}

/** Returns the vendor's id of a refused request, by which a client may ask the vendor about it. */
function vendorRequestId({ vendor, cause }: RelayError): string | undefined {
  return vendor !== undefined && cause instanceof UpstreamError ? cause.requestId : undefined;
}

/**
 * OpenAI tells an agent that streams within the stream that its conversation is too long, and Codex looks for it only
 * there: https://github.com/openai/codex. An upstream's own 400 that names it stays one.
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
 * The id lets an operator find the request; OpenAI's and Anthropic's clients show the message. A vendor's refusal is
 * told in its own words alone, by which agents recognize it.
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
