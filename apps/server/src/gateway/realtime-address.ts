/** What a request for a realtime session says, in its address and its headers. */
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type ClientRequest, readRequest } from '@switchyard/relay';
import { asksForWebSocket } from '../platform/web-socket.ts';
import type { KeyBearer } from './authenticate.ts';
import { type ClientResponse, createClientResponse } from './client-response.ts';
import { queryOf } from './inbound.ts';
import { RelayError } from './relay-error.ts';

/** A browser cannot set headers, and puts the key among the sub-protocols that it offers. */
const keyProtocol = /(?:^|,)\s*openai-insecure-api-key\.([^\s,]+)/;

export function bearerOf({ headers, url }: IncomingMessage): KeyBearer {
  const [, offered] = keyProtocol.exec(headers['sec-websocket-protocol'] ?? '') ?? [];
  const named = headers['api-key'] ?? offered;
  if (headers.authorization !== undefined || typeof named !== 'string') return { headers, url };
  return { headers: { ...headers, authorization: `Bearer ${named}` }, url };
}

/** @throws InvalidRequest, RelayError */
export function readAddress(message: IncomingMessage): ClientRequest {
  if (!asksForWebSocket(message))
    throw new RelayError('invalid_request', 'This is no complete request for a WebSocket, version 13.');
  const query = queryOf(message.url ?? '');
  const refused = ['call_id', 'intent'].find((name) => query.has(name));
  if (refused !== undefined)
    throw new RelayError('invalid_request', `${refused} is not offered: name a model.`, { param: refused });
  const route = { operation: 'realtime', format: 'openai-realtime' } as const;
  const model = query.get('model');
  return readRequest(route, Buffer.from(JSON.stringify(model === null ? {} : { model })), {});
}

/** The client's side of a request whose connection Node has handed over. */
export function upgradeResponse(message: IncomingMessage, socket: Socket, requestId: string): ClientResponse {
  const response = new ServerResponse(message);
  response.shouldKeepAlive = false;
  socket.on('error', () => {});
  response.assignSocket(socket);
  response.on('finish', () => socket.end());
  return createClientResponse(response, requestId);
}
