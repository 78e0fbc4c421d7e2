import type { IncomingMessage } from 'node:http';
import { type ClientRequest, estimateParsedBytes, isLongJson, type RequestRoute, readRequest } from '@switchyard/relay';
import { RelayError } from '../http/relay-error.ts';
import type { ConcurrencySlot } from '../limits/concurrency-limiter.ts';
import { LONG_BYTES, type PacedExecutor, SHORT_BYTES } from '../limits/paced-executor.ts';
import { readBody } from '../limits/read-request-body.ts';

const CONTENT_TYPE_SHOWN = 80;

export interface ReadClientRequestParts {
  pacedExecutor: PacedExecutor;
  bodyMaxBytes: number;
}

/** @throws RelayError, InvalidRequestError */
export async function readClientRequest(
  parts: ReadClientRequestParts,
  { message, route }: { message: IncomingMessage; route: RequestRoute },
  slot: ConcurrencySlot,
  userId: number,
): Promise<ClientRequest> {
  checkContentType(message.headers['content-type'] ?? '', route);
  const body = await readBody(message, parts.bodyMaxBytes, slot);
  const isForm = !(message.headers['content-type'] ?? '').includes('json');
  const read = (): ClientRequest => {
    // The parsed form of a body with many values takes several times its bytes, and is kept as long as the request runs.
    if (!isForm) slot.grow(estimateParsedBytes(body), 'upload');
    return readRequest(route, body, message.headers);
  };
  const isLong = isForm ? body.length >= LONG_BYTES : isLongJson(body);
  if (isLong) return parts.pacedExecutor.run(userId, read);
  return body.length < SHORT_BYTES ? read() : parts.pacedExecutor.runShort(userId, read);
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
  throw new RelayError(
    'unsupported_media_type',
    `The content type is ${JSON.stringify(contentType.slice(0, CONTENT_TYPE_SHOWN))}. Send the body ${ways.join(', or ')}.`,
  );
}
