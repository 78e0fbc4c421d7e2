/**
 * The client's side of one relayed request. Writes the head with the first bytes, knows how far the answer has gone,
 * and tells when the client left or reads too slowly.
 */

import type { ServerResponse } from 'node:http';
import type { RelayError } from './relay-error.ts';

export interface ClientResponse {
  /** The status line has gone out; no other status can be given any more. */
  readonly hasSentHead: boolean;
  /** A part of an answer has gone out, so that no other channel can take over. */
  readonly isDelivering: boolean;
  /** The client closed the connection before the end. */
  readonly hasLeft: boolean;
  /** Bytes of the response that wait in this process for the client to take them. */
  readonly unsentBytes: number;
  /** Resolves once the client has taken all of the response, or has left. Undefined where little or nothing waits for it. */
  waitUntilSent(): Promise<void> | undefined;
  /** Why the gateway itself ended the request; the client is still to be told. */
  readonly stopReason: RelayError | undefined;
  stop(reason: RelayError): void;
  /** Sets a header of the head; only before it has begun. What a header cannot hold is percent-encoded. */
  header(name: string, value: string): void;
  /** Sends a whole answer. */
  send(status: number, contentType: string, body: Buffer | string): void;
  /** Sends a part of a streamed answer. False when the client should be waited for. */
  write(contentType: string, chunk: Buffer | string): boolean;
  /** Sends what is no part of an answer: a comment line of an event stream, white space before JSON. */
  comment(contentType: string, line: string): void;
  end(last: Buffer | string): void;
  /** Closes the connection; the client counts as gone. */
  disconnect(): void;
  onDrain: (() => void) | undefined;
  /** The client left, or the gateway ended the request. */
  onLeave: (() => void) | undefined;
}

/** Above this many unsent bytes the upstream is paused. */
const BUFFER_MAX_BYTES = 262_144;
/** Less is gone in a moment, and is not worth waiting for. */
const SMALL_BYTES = 65_536;
/** Milliseconds that the rest of a response waits for a client that reads nothing; a socket lets it pass twice. */
const LAST_READ_MS = 15_000;

export function createClientResponse(response: ServerResponse, requestId: string): ClientResponse {
  return new HttpClientResponse(response, requestId);
}

class HttpClientResponse implements ClientResponse {
  hasLeft = false;
  stopReason: RelayError | undefined;
  isDelivering = false;
  onDrain: (() => void) | undefined;
  onLeave: (() => void) | undefined;
  readonly #response: ServerResponse;
  /** Name, value, name, value, … */
  readonly #headers: string[];
  /** The length of the body is not known, and the client understands chunks. */
  #isChunked = false;

  constructor(response: ServerResponse, requestId: string) {
    this.#response = response;
    this.#headers = [
      'x-request-id',
      requestId,
      'access-control-allow-origin',
      '*',
      'access-control-expose-headers',
      '*',
      'x-content-type-options',
      'nosniff',
    ];
    response.sendDate = false;
    response.on('drain', () => this.onDrain?.());
    // From the end of its side on Node writes nothing more to a client; the connection's close comes later.
    const { socket } = response.req;
    const recordDisconnect = (): void => this.#noteLeave();
    socket.once('end', recordDisconnect);
    response.on('close', () => {
      socket.off('end', recordDisconnect);
      if (!response.writableFinished) recordDisconnect();
    });
  }

  #noteLeave(): void {
    if (this.hasLeft) return;
    this.hasLeft = true;
    this.onLeave?.();
  }

  get hasSentHead(): boolean {
    return this.#response.headersSent;
  }

  get unsentBytes(): number {
    return this.hasLeft ? 0 : this.#response.writableLength;
  }

  waitUntilSent(): Promise<void> | undefined {
    if (this.unsentBytes < SMALL_BYTES) return undefined;
    // It comes after `finish`, too.
    return new Promise((resolve) => this.#response.once('close', resolve));
  }

  stop(reason: RelayError): void {
    this.stopReason = reason;
    this.onLeave?.();
  }

  header(name: string, value: string): void {
    const text = value.toWellFormed().replace(/[^\t\x20-\x7e]/gu, encodeURIComponent);
    const at = this.#headers.indexOf(name);
    if (at === -1) this.#headers.push(name, text);
    else this.#headers[at + 1] = text;
  }

  send(status: number, contentType: string, body: Buffer | string): void {
    if (this.hasLeft) return;
    this.#headers.push('content-type', contentType, 'content-length', String(Buffer.byteLength(body)));
    this.#response.writeHead(status, this.#headers);
    this.#response.end(body);
    this.#limitWait();
  }

  write(contentType: string, chunk: Buffer | string): boolean {
    if (this.hasLeft) return true;
    this.isDelivering = true;
    this.#beginStream(contentType);
    this.#writePiece(chunk);
    return this.#response.writableLength < BUFFER_MAX_BYTES;
  }

  comment(contentType: string, line: string): void {
    if (this.hasLeft) return;
    this.#beginStream(contentType);
    this.#writePiece(line);
  }

  end(last: Buffer | string): void {
    if (this.hasLeft) return;
    this.#writePiece(last);
    this.#response.end(this.#isChunked ? LAST_CHUNK : '');
    this.#limitWait();
  }

  disconnect(): void {
    this.#response.destroy();
  }

  /** Closes the connection when the rest of an answer is not taken. */
  #limitWait(): void {
    if (this.#response.writableLength > 0) this.#response.setTimeout(LAST_READ_MS, () => this.#response.destroy());
  }

  #beginStream(contentType: string): void {
    if (this.#response.headersSent) return;
    this.#headers.push('content-type', contentType, 'x-accel-buffering', 'no');
    if (!this.#response.hasHeader('cache-control')) this.#headers.push('cache-control', 'no-cache');
    this.#response.writeHead(200, this.#headers);
    // Left to Node, each piece would be written a turn later, as four buffers: a tenth of what a stream costs.
    this.#isChunked = this.#response.chunkedEncoding;
    this.#response.chunkedEncoding = false;
  }

  #writePiece(piece: Buffer | string): void {
    if (piece.length > 0) this.#response.write(this.#isChunked ? httpChunk(piece) : piece);
  }
}

/** The pieces of an HTTP/1.1 body of unknown length: size, CRLF, bytes, CRLF. https://www.rfc-editor.org/rfc/rfc9112#section-7.1 */
const CARRIAGE_RETURN = 13;
const LINE_FEED = 10;
const FRAME_BYTES = 4;

/** Last chunk of a chunked body; nothing follows it. */
const LAST_CHUNK = '0\r\n\r\n';

/**
 * Returns a piece as an HTTP chunk in one buffer.
 * @param piece not empty: an empty chunk would end the body
 */
function httpChunk(piece: Buffer | string): Buffer {
  const length = Buffer.byteLength(piece);
  const size = length.toString(16);
  const chunk = Buffer.allocUnsafe(size.length + length + FRAME_BYTES);
  let at = chunk.write(size, 'latin1');
  at = writeLineEnd(chunk, at);
  at += typeof piece === 'string' ? chunk.write(piece, at) : piece.copy(chunk, at);
  writeLineEnd(chunk, at);
  return chunk;
}

function writeLineEnd(to: Buffer, at: number): number {
  to[at] = CARRIAGE_RETURN;
  to[at + 1] = LINE_FEED;
  return at + 2;
}
