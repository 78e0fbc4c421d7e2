/** The client's last bytes: a whole answer, or an error in the shape of the dialect that the client speaks. */
import {
  type ClientRequest,
  encodeError,
  encodeStreamError,
  type FormatId,
  type RequestRoute,
  type TaskView,
  tellTask,
  UpstreamError,
} from '@switchyard/relay';
import type { Log } from '../platform/log.ts';
import type { LastBytes } from './answer-flow.ts';
import type { ClientResponse } from './client-response.ts';
import { tellStandings } from './limit-standing.ts';
import { type RelayError, relayErrorOf } from './relay-error.ts';

/** Whom an answer goes to, and in which dialect. */
export interface Answering {
  client: ClientResponse;
  route: Pick<RequestRoute, 'format' | 'framing'>;
  requestId: string;
}

/** @param charge points, told with a whole answer */
export function answerSuccess(
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

/** To who has ordered: the work goes on, and how far it is, is asked for. */
export function orderAnswer(format: FormatId, task: TaskView) {
  return jsonAnswer(tellTask(format, task, 'orderer'));
}

export function jsonAnswer(json: string) {
  return { status: 200, contentType: 'application/json; charset=utf-8', body: Buffer.from(json) };
}

export function answerOrder(
  { client, request }: { client: ClientResponse; request: ClientRequest },
  task: TaskView,
): void {
  const { status, contentType, body } = orderAnswer(request.format, task);
  client.send(status, contentType, body);
}

/** Once the head has gone out, an error can only be the stream's last event. @returns what the client was told */
export function answerError(log: Log, answering: Answering, error: unknown): RelayError {
  const { requestId } = answering;
  const known = relayErrorOf(error);
  if (known.code === 'server_error')
    log.error({ err: error, request_id: requestId }, 'a relayed request failed inside');
  else
    log.info(
      { request_id: requestId, status: known.status, code: known.code, reason: known.message },
      'relayed request refused',
    );
  tell(answering, known);
  return known;
}

function tell({ client, route, requestId }: Answering, known: RelayError): void {
  const detail = detailOf(known, requestId);
  // Among plain bytes nothing can be said; what is broken must not look complete.
  if (client.begun && route.framing === 'bytes') return client.drop();
  if (client.begun) return client.end(encodeStreamError(route, detail, !client.delivering));
  if (known.retryAfterSeconds !== undefined) client.header('retry-after', String(known.retryAfterSeconds));
  if (known.standing !== undefined) tellStandings(client, [known.standing]);
  client.send(known.status, 'application/json; charset=utf-8', encodeError(route.format, detail));
}

/** The id lets an operator find the request; OpenAI's and Anthropic's clients show the message. */
function detailOf(error: RelayError, requestId: string) {
  return {
    status: error.status,
    message: `${error.message} (request id: ${requestId})`,
    code: error.code,
    upstreamCode: error.cause instanceof UpstreamError ? error.cause.code : undefined,
    param: error.param,
  };
}
