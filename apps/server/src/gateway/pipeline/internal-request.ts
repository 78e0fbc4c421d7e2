/**
 * Requests that the server makes for its users in the background. They are served like clients' requests, by Node's
 * HTTP server over an in-memory connection.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import type { ClientRequest } from '@switchyard/relay';
import type { Principal } from '../snapshot/authenticate-api-key.ts';
import type { VendorResponse } from '../upstream/upstream-and-replay-pool.ts';
import type { AcquiredResources } from './admit-request.ts';

/** Clients of a response that the gateway generates for them. */
export interface Audience {
  /** Returns whether a client has been sent everything that has been generated so far. */
  hasReceived(): boolean;
  /** Returns whether clients can still fetch what has been generated if the response fails now. */
  canFetch(): boolean;
}

export interface InternalRequest {
  path: string;
  /** JSON. */
  body: Buffer;
  /** Headers of the client for which the call is made. */
  headers?: Readonly<Record<string, string>>;
  requestId: string;
  /** Client address for the rate and concurrency limits. */
  address: string;
  /** @throws RelayError, which becomes the response */
  identify: () => Principal | Promise<Principal>;
  /** Resources already taken; the request then takes no further slot or limits. */
  acquired?: AcquiredResources;
  /** Id under which the response is stored; a client already polls it. */
  storeAs?: string;
  /** Clients of the stream, which may receive less of it than the gateway does; absent if the caller is the client. */
  audience?: Audience | undefined;
  /** Response of the provider, if it was already received. */
  vendorResponse?: VendorResponse | undefined;
  /** True if the request is only prepared for its vendor's batch. */
  isPrepareOnly?: boolean;
  /** Called with the request after the content check, before any channel is called. */
  onChecked?: (request: ClientRequest) => Promise<void>;
  /** Cancels the request like a client's disconnect. */
  signal?: AbortSignal;
  /** Receives a stream piece by piece; the response's body is then empty. */
  onChunk?: (piece: Buffer) => void | Promise<void>;
  /**
   * Receives a body of more than `LARGE_BODY_BYTES` piece by piece; the response's body is then empty. The rest counts
   * against the memory budget until it is received.
   */
  onLargeBody?: (answer: LargeResponse) => Promise<void>;
}

/** Response whose body is received piece by piece. */
export interface LargeResponse extends Omit<InternalResponse, 'body'> {
  pieces: AsyncIterable<Buffer>;
}

/** Bytes above which a body is worth receiving piece by piece. */
const LARGE_BODY_BYTES = 1_048_576;
/** A connection has one slice of a body in memory besides the response itself. */
const SLICE_BYTES = 65_536;

export interface InternalResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/**
 * Settles when the request has been served and charged. It has no deadline besides those of a relayed request.
 * @throws when the connection ends before the response
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
    writeInSlices(far);
    calls.set(far, call);
    const leave = (): void => void far.destroy();
    call.signal?.addEventListener('abort', leave);
    if (call.signal?.aborted === true) leave();
    // The socket's timeout is only for slow readers; this reader is never slow.
    server.emit('connection', Object.assign(far, { setTimeout: () => far }));
    try {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        request({
          method: 'POST',
          path: call.path,
          headers: { ...call.headers, 'content-type': 'application/json', 'content-length': call.body.length },
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

/** Lets the reader receive each slice of a write before the next one, so that no second copy of a body is in memory. */
function writeInSlices(socket: Duplex): void {
  // oxlint-disable no-underscore-dangle -- Node's name of the function that writes to a stream
  const write = socket._write.bind(socket);
  socket._write = (chunk: Buffer, encoding, done) => {
    const writeFrom = (start: number): void => {
      const end = start + SLICE_BYTES;
      const isLast = end >= chunk.length;
      write(isLast && start === 0 ? chunk : chunk.subarray(start, end), encoding, (error) =>
        isLast || error ? done(error) : writeFrom(end),
      );
    };
    writeFrom(0);
  };
  // oxlint-enable no-underscore-dangle
}

async function readBody(answer: IncomingMessage, { onChunk, onLargeBody }: InternalRequest): Promise<Buffer> {
  const isStream = answer.headers['content-type']?.startsWith('text/event-stream') === true;
  const pieces = readPieces(answer);
  if (onChunk === undefined || !isStream) return readWhole(answer, pieces, onLargeBody);
  for await (const piece of pieces) await onChunk(piece);
  return Buffer.alloc(0);
}

/** Yields the body, and lets other events be handled after each megabyte: the connection itself needs no event. */
async function* readPieces(answer: IncomingMessage): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const piece of answer as AsyncIterable<Buffer>) {
    yield piece;
    bytes += piece.length;
    if (bytes < LARGE_BODY_BYTES) continue;
    bytes = 0;
    await setImmediate();
  }
}

/** Returns the body, or passes on a large one. */
async function readWhole(
  answer: IncomingMessage,
  pieces: AsyncGenerator<Buffer>,
  onLargeBody: InternalRequest['onLargeBody'],
): Promise<Buffer> {
  const begin: Buffer[] = [];
  for (let bytes = 0; bytes <= LARGE_BODY_BYTES; bytes += begin.at(-1)?.length ?? 0) {
    const next = await pieces.next();
    if (next.done === true) return Buffer.concat(begin);
    begin.push(next.value);
  }
  const { statusCode: status = 0, headers } = answer;
  if (onLargeBody === undefined) return copyPieces(joinPieces(begin, pieces), Number(headers['content-length'] ?? 0));
  try {
    await onLargeBody({ status, headers, pieces: joinPieces(begin, pieces) });
  } finally {
    answer.destroy();
  }
  return Buffer.alloc(0);
}

/** Copies each piece as it arrives: allocating and copying a large body at the end would block other requests. */
async function copyPieces(pieces: AsyncIterable<Buffer>, length: number): Promise<Buffer> {
  if (length === 0) return buffer(pieces);
  const body = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for await (const piece of pieces) at += piece.copy(body, at);
  return body.subarray(0, at);
}

async function* joinPieces(begin: Buffer[], rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* begin.splice(0);
  yield* rest;
}
