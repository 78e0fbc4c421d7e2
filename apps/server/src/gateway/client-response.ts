/**
 * The client's side of one relayed request. Writes the head with the first bytes, knows how far the answer has gone,
 * and tells when the client left or reads too slowly.
 */
import type { ServerResponse } from 'node:http';
import type { RelayError } from './relay-error.ts';

export interface ClientResponse {
  /** The status line has gone out; no other status can be given any more. */
  readonly begun: boolean;
  /** A part of an answer has gone out, so that no other channel can take over. */
  readonly delivering: boolean;
  /** The client closed the connection before the end. */
  readonly left: boolean;
  /** Why the gateway itself ended the request; the client is still to be told. */
  readonly stopped: RelayError | undefined;
  stop(reason: RelayError): void;
  /** Sets a header of the head; only before it has begun. */
  header(name: string, value: string): void;
  /** Sends a whole answer. */
  send(status: number, contentType: string, body: Buffer | string): void;
  /** Sends a part of a streamed answer. False when the client should be waited for. */
  write(contentType: string, chunk: Buffer | string): boolean;
  /** Sends a comment line of an event stream, which is no part of an answer. */
  comment(line: string): void;
  end(last: Buffer | string): void;
  /** Closes the connection; the client counts as gone. */
  drop(): void;
  onDrain: (() => void) | undefined;
  /** The client left, or the gateway ended the request. */
  onLeave: (() => void) | undefined;
}

/** Above this many unsent bytes the upstream is paused. */
const BUFFER_MAX_BYTES = 262_144;
/** How long the rest of an answer waits for a client that takes nothing of it; a socket lets it pass twice. */
const LAST_READ_MS = 15_000;

export function createClientResponse(response: ServerResponse, requestId: string): ClientResponse {
  response.sendDate = false;
  const headers = new Map([
    ['x-request-id', requestId],
    ['access-control-allow-origin', '*'],
    ['access-control-expose-headers', '*'],
    ['x-content-type-options', 'nosniff'],
  ]);
  let left = false;
  let stopped: RelayError | undefined;
  let delivering = false;

  const head = (status: number, contentType: string): void => {
    headers.set('content-type', contentType);
    response.writeHead(status, [...headers].flat());
  };
  const beginStream = (contentType: string): void => {
    if (response.headersSent) return;
    headers.set('cache-control', 'no-cache').set('x-accel-buffering', 'no');
    head(200, contentType);
  };

  const client: ClientResponse = {
    get begun() {
      return response.headersSent;
    },
    get delivering() {
      return delivering;
    },
    get left() {
      return left;
    },
    get stopped() {
      return stopped;
    },
    stop(reason) {
      stopped = reason;
      client.onLeave?.();
    },
    header: (name, value) => void headers.set(name, value),
    send(status, contentType, body) {
      if (left) return;
      headers.set('content-length', String(Buffer.byteLength(body)));
      head(status, contentType);
      response.end(body);
      limitWait(response);
    },
    write(contentType, chunk) {
      if (left) return true;
      delivering = true;
      beginStream(contentType);
      response.write(chunk);
      return response.writableLength < BUFFER_MAX_BYTES;
    },
    comment(line) {
      if (left) return;
      beginStream('text/event-stream; charset=utf-8');
      response.write(line);
    },
    end(last) {
      if (left) return;
      response.end(last);
      limitWait(response);
    },
    drop: () => void response.destroy(),
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

/** Closes the connection when the rest of an answer is not taken. */
function limitWait(response: ServerResponse): void {
  if (response.writableLength > 0) response.setTimeout(LAST_READ_MS, () => response.destroy());
}
