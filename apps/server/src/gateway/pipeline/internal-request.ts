/**
 * Requests that the server makes for its users while none of them waits: served as those of clients are, by Node's own
 * HTTP, over a connection in memory.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { duplexPair } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ClientRequest } from '@switchyard/relay';
import type { Principal } from '../snapshot/authenticate.ts';
import type { VendorResponse } from '../upstream/vendor-response.ts';
import type { AcquiredResources } from './admit.ts';

export interface InternalRequest {
  path: string;
  /** JSON. */
  body: Buffer;
  /** Headers of the client for which the call is made. */
  headers?: Readonly<Record<string, string>>;
  requestId: string;
  /** Client address that the call counts for. */
  address: string;
  /** @throws RelayError, which is answered like any other */
  identify: () => Principal | Promise<Principal>;
  /** It takes no place of its own then, and nothing from the limits of its caller. */
  acquired?: AcquiredResources;
  /** The id under which its answer is awaited. */
  storeAs?: string;
  /** Response of the provider, if it was already received. */
  vendorResponse?: VendorResponse | undefined;
  /** It is only made ready for its vendor. */
  isPrepareOnly?: boolean;
  /** Told what may be said, before anybody else is. */
  onChecked?: (said: ClientRequest) => Promise<void>;
  /** Leaves, as a client does. */
  signal?: AbortSignal;
  /** Takes a stream piece by piece; its answer has an empty body then. */
  onChunk?: (piece: Buffer) => void;
}

export interface InternalResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/**
 * Settles when the call has been served to its end, its charge included. No deadline but those of a relayed request.
 * @throws when the connection ends before its answer
 */
export type SendInternalRequest = (call: InternalRequest) => Promise<InternalResponse>;

export function createSendInternalRequest(
  serve: (message: IncomingMessage, response: ServerResponse, call: InternalRequest) => void | Promise<void>,
): SendInternalRequest {
  const calls = new WeakMap<object, InternalRequest>();
  const works = new WeakMap<InternalRequest, Promise<void>>();
  const server = createServer((message, response) => {
    const call = calls.get(message.socket);
    if (call === undefined) response.destroy();
    else works.set(call, Promise.resolve(serve(message, response, call)));
  });
  return async (call) => {
    const [near, far] = duplexPair();
    calls.set(far, call);
    const leave = (): void => void far.destroy();
    call.signal?.addEventListener('abort', leave);
    if (call.signal?.aborted === true) leave();
    // What waits for a slow reader asks a socket for that; here the reader is never slow.
    server.emit('connection', Object.assign(far, { setTimeout: () => far }));
    try {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        request({
          method: 'POST',
          path: call.path,
          headers: {
            ...call.headers,
            'content-type': 'application/json',
            'content-length': call.body.length,
          },
          createConnection: () => near,
        })
          .on('response', resolve)
          .on('error', reject)
          .end(call.body);
      });
      const { statusCode = 0, headers } = answer;
      return { status: statusCode, headers, body: await readBody(answer, call) };
    } finally {
      call.signal?.removeEventListener('abort', leave);
      await works.get(call);
    }
  };
}

async function readBody(answer: IncomingMessage, { onChunk }: InternalRequest): Promise<Buffer> {
  const isStream = answer.headers['content-type']?.startsWith('text/event-stream') === true;
  if (onChunk === undefined || !isStream) return buffer(answer);
  for await (const piece of answer as AsyncIterable<Buffer>) onChunk(piece);
  return Buffer.alloc(0);
}
