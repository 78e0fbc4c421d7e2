import type { IncomingMessage } from 'node:http';
import { type ClientRequest, type RequestRoute, readRequest } from '@switchyard/relay';
import type { GatewayParts } from './gateway-parts.ts';
import type { Place } from './places.ts';
import { RelayError } from './relay-error.ts';
import { readBody } from './request-body.ts';

/** @throws RelayError, InvalidRequest */
export async function readClientRequest(
  parts: GatewayParts,
  { message, route }: { message: IncomingMessage; route: RequestRoute },
  place: Place,
): Promise<ClientRequest> {
  checkContentType(message.headers['content-type'] ?? '', route);
  const body = await readBody(message, parts.bodyMaxBytes, place);
  return readRequest(route, body, message.headers);
}

/** @throws RelayError */
function checkContentType(contentType: string, { form }: RequestRoute): void {
  const takesJson = form !== 'only';
  if (takesJson && contentType.includes('json')) return;
  if (form !== undefined && /^multipart\/form-data\b/i.test(contentType)) return;
  const ways = [
    ...(takesJson ? ['as JSON, with the header "content-type: application/json"'] : []),
    ...(form === undefined ? [] : ['as a form, with the header "content-type: multipart/form-data"']),
  ];
  throw new RelayError('unsupported_media_type', `Send the body ${ways.join(', or ')}.`);
}
