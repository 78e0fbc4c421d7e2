/** Reads a request for a realtime session from its address and headers. */
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type ClientRequest, readRequest } from '@switchyard/relay';
import { isWebSocketRequest } from '../../platform/outbound/web-socket.ts';
import { type ClientResponse, createClientResponse } from '../http/client-response.ts';
import { RelayError } from '../http/relay-error.ts';
import { parseQuery } from '../http/relay-paths.ts';
import { type KeyBearer, parseBearer } from '../snapshot/authenticate-api-key.ts';

/** A browser cannot set headers; it sends the key as one of the offered subprotocols. */
const keyProtocol = /(?:^|,)\s*openai-insecure-api-key\.([^\s,]+)/;

/** Stands for the header `OpenAI-Beta: realtime=v1`: the client expects the beta event format. */
const betaProtocol = /(?:^|,)\s*openai-beta\.realtime-v1\s*(?:,|$)/;

export function toKeyBearer(message: IncomingMessage): KeyBearer {
  const { headers, url } = message;
  const [, offered] = keyProtocol.exec(protocolsOf(message)) ?? [];
  const named = headers['api-key'] || offered;
  const isPresented = (parseBearer(headers.authorization) ?? '') !== '';
  if (isPresented || typeof named !== 'string') return { headers, url };
  return { headers: { ...headers, authorization: `Bearer ${named}` }, url };
}

const protocolsOf = ({ headers }: IncomingMessage): string => headers['sec-websocket-protocol'] ?? '';

/** @throws InvalidRequestError, RelayError */
export function readRealtimeRequest(message: IncomingMessage): ClientRequest {
  if (!isWebSocketRequest(message))
    throw new RelayError('invalid_request', 'This endpoint requires a WebSocket upgrade request, version 13.');
  const query = parseQuery(message.url ?? '');
  const refused = ['call_id', 'intent'].find((name) => query.has(name));
  if (refused !== undefined)
    throw new RelayError('invalid_request', `${refused} is not supported. Name a model instead.`, { param: refused });
  const route = { operation: 'realtime', format: 'openai-realtime' } as const;
  const model = query.get('model');
  const body = Buffer.from(JSON.stringify(model === null ? {} : { model }));
  const beta = betaProtocol.test(protocolsOf(message)) ? { 'openai-beta': 'realtime=v1' } : {};
  return readRequest(route, body, { ...beta, ...message.headers });
}

/**
 * Creates the response of an upgrade request, whose socket Node has handed over.
 * @returns undefined if an earlier request of the connection is unanswered; the connection is closed then, because two
 * responses cannot have it
 */
export function createUpgradeResponse(
  message: IncomingMessage,
  socket: Socket,
  requestId: string,
): ClientResponse | undefined {
  const response = new ServerResponse(message);
  response.shouldKeepAlive = false;
  socket.on('error', () => {});
  try {
    response.assignSocket(socket);
  } catch {
    socket.destroy();
    return undefined;
  }
  // Node's deadlines no longer apply to the connection, and the client may never close its side.
  response.on('finish', () => socket.destroySoon());
  return createClientResponse(response, requestId);
}
