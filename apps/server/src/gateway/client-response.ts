/**
 * The client's side of one relayed request. Knows whether anything was sent yet, writes the head with the first
 * bytes, and tells when the client left or reads too slowly.
 */
import type { ServerResponse } from 'node:http';

export interface ClientResponse {
  /** The status line has gone out; no other answer can be given any more. */
  readonly begun: boolean;
  /** The client closed the connection before the end. */
  readonly left: boolean;
  /** Extra headers for the head; only before it has begun. */
  header(name: string, value: string): void;
  /** Sends a whole answer. */
  send(status: number, contentType: string, body: Buffer | string): void;
  /** Sends a part of a streamed answer. False when the client should be waited for. */
  write(contentType: string, chunk: Buffer | string): boolean;
  end(last: Buffer | string): void;
  onDrain: (() => void) | undefined;
  onLeave: (() => void) | undefined;
}

/** Above this many unsent bytes the upstream is paused. */
const BUFFER_MAX_BYTES = 262_144;

const BASE_HEADERS: readonly [string, string][] = [
  ['access-control-allow-origin', '*'],
  ['access-control-expose-headers', '*'],
  ['x-content-type-options', 'nosniff'],
];

export function createClientResponse(response: ServerResponse, requestId: string): ClientResponse {
  response.sendDate = false;
  const headers = new Map([['x-request-id', requestId], ...BASE_HEADERS]);
  const head = (status: number): void => void response.writeHead(status, [...headers].flat());
  let left = false;

  const client: ClientResponse = {
    get begun() {
      return response.headersSent;
    },
    get left() {
      return left;
    },
    header: (name, value) => void headers.set(name, value),
    send(status, contentType, body) {
      if (left) return;
      headers.set('content-type', contentType).set('content-length', String(Buffer.byteLength(body)));
      head(status);
      response.end(body);
    },
    write(contentType, chunk) {
      if (left) return true;
      if (!response.headersSent) {
        headers
          .set('content-type', contentType)
          .set('cache-control', 'no-cache')
          .set('x-accel-buffering', 'no');
        head(200);
      }
      response.write(chunk);
      return response.writableLength < BUFFER_MAX_BYTES;
    },
    end: (last) => void (left || response.end(last)),
    onDrain: undefined,
    onLeave: undefined,
  };
  response.on('drain', () => client.onDrain?.());
  response.on('close', () => {
    if (response.writableFinished) return;
    left = true;
    client.onLeave?.();
  });
  return client;
}
