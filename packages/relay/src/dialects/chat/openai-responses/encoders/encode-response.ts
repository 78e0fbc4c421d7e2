import type { ClientRequest } from '../../../../model/client-request.ts';
import type { ResponseEvent } from '../../../../model/conversation.ts';
import type { UnsupportedFields } from '../../../../model/dialect.ts';
import { ResponseBuilder } from './response-builder.ts';

/** Encodes the response that a client would build from the stream. */
export function encodeResponse(
  events: readonly ResponseEvent[],
  request: ClientRequest,
  lost: UnsupportedFields,
): Record<string, unknown> {
  const builder = new ResponseBuilder(request, lost);
  for (const event of events) builder.push(event);
  return builder.end().response;
}
