/**
 * Client side of one relayed request. Writes the head with the first bytes, knows how much has been sent, and reports
 * when the client disconnects or reads too slowly.
 */
import type { ServerResponse } from 'node:http';
import type { RelayError } from './relay-error.ts';

/** Above this many unsent bytes the upstream is paused. */
const BUFFER_MAX_BYTES = 262_144;
/** Smaller remainders are sent at once and need no wait. */
const SMALL_BYTES = 65_536;
/** Socket timeout while a client reads nothing of the rest of a response; up to twice as long may pass. */
const LAST_READ_MS = 15_000;
/**
 * Chunks of an HTTP/1.1 body of unknown length: size, CRLF, bytes, CRLF.
 * https://www.rfc-editor.org/rfc/rfc9112#section-7.1
 */
const CARRIAGE_RETURN = 13;
const LINE_FEED = 10;
const FRAME_BYTES = 4;
/** Last chunk of a chunked body; nothing follows it. */
const LAST_CHUNK = '0\r\n\r\n';

export interface ClientResponse {
  /** True once the status line has been sent and can't be changed. */
  readonly hasSentHead: boolean;
  /** True once a part of a response has been sent, so that failover is impossible. */
  readonly isDelivering: boolean;
  /** True if the client closed the connection before the end. */
  readonly hasLeft: boolean;
  /** Bytes of the response that wait in this process until the client reads them. */
  readonly unsentBytes: number;
  /**
   * Resolves once the client has read the whole response, or has disconnected. Undefined when little or nothing is
   * unsent.
   */
  waitUntilSent(): Promise<void> | undefined;
  /** Reason why the gateway ended the request. */
  readonly stopReason: RelayError | undefined;
  /** True if the upstream call must end as well: the gateway shuts down or lacks resources. */
  readonly mustAbort: boolean;
  /** Ends the request and its upstream call. */
  stop(reason: RelayError): void;
  /**
   * Ends the response of a caller who has lost the right to it, or one with content that is not allowed. Like a
   * disconnect, it leaves the upstream time to report its usage: otherwise, what only the report has would be free.
   */
  refuse(reason: RelayError): void;
  /** Sets a header; only before the head is sent. Characters that a header cannot contain are percent-encoded. */
  header(name: string, value: string): void;
  /** Sends a non-streaming response. */
  send(status: number, contentType: string, body: Buffer | string): void;
  /** Does the same at once, also if the response otherwise waits until it is stored; nothing is sent after it. */
  sendNow(status: number, contentType: string, body: Buffer | string): void;
  /** Sends a part of a stream. @returns false when the caller should wait for `onDrain` */
  write(contentType: string, chunk: Buffer | string): boolean;
  /** Sends bytes that are not part of the response: a comment line of an event stream, or white space before JSON. */
  comment(contentType: string, line: string): void;
  /** Sends the last part of a stream; nothing is sent after it. */
  end(last: Buffer | string): void;
  /** Does the same at once, also if the end of the response otherwise waits until it is stored. */
  endNow(last: Buffer | string): void;
  /** Closes the connection; `hasLeft` becomes true. */
  disconnect(): void;
  onDrain: (() => void) | undefined;
  /** Called when the client disconnects or the gateway stops the request. */
  onLeave: (() => void) | undefined;
}

export function createClientResponse(response: ServerResponse, requestId: string): ClientResponse {
  return new HttpClientResponse(response, requestId);
}

class HttpClientResponse implements ClientResponse {
  hasLeft = false;
  stopReason: RelayError | undefined;
  mustAbort = false;
  isDelivering = false;
  onDrain: (() => void) | undefined;
  onLeave: (() => void) | undefined;
  readonly #response: ServerResponse;
  /** Alternating names and values. */
  readonly #headers: string[];
  /** True if the body has no known length and the client supports chunked encoding. */
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
    // After the client's FIN, Node writes nothing more; `close` comes later.
    const { socket } = response.req;
    const recordDisconnect = (): void => this.#recordDisconnect();
    socket.once('end', recordDisconnect);
    response.on('close', () => {
      socket.off('end', recordDisconnect);
      if (!response.writableFinished) recordDisconnect();
    });
  }

  #recordDisconnect(): void {
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
    // `close` also follows `finish`.
    return new Promise((resolve) => this.#response.once('close', resolve));
  }

  stop(reason: RelayError): void {
    this.stopReason ??= reason;
    this.mustAbort = true;
    this.onLeave?.();
  }

  refuse(reason: RelayError): void {
    // The response of a client that has left has ended already.
    if (!this.hasLeft) this.stopReason ??= reason;
    this.onLeave?.();
  }

  header(name: string, value: string): void {
    const text = value.toWellFormed().replace(/[^\t\x20-\x7e]/gu, encodeURIComponent);
    const at = this.#headers.indexOf(name);
    if (at === -1) this.#headers.push(name, text);
    else this.#headers[at + 1] = text;
  }

  send(status: number, contentType: string, body: Buffer | string): void {
    if (this.hasLeft || this.#response.writableEnded) return;
    this.#headers.push('content-type', contentType, 'content-length', String(Buffer.byteLength(body)));
    this.#response.writeHead(status, this.#headers);
    // Node writes a text together with the head, and a buffer after it.
    if (typeof body === 'string') this.#response.end(body);
    else if (body.length <= SMALL_BYTES) this.#response.end(body.toString('latin1'), 'latin1');
    else this.#response.end(body);
    this.#limitWait();
  }

  sendNow(status: number, contentType: string, body: Buffer | string): void {
    this.send(status, contentType, body);
  }

  write(contentType: string, chunk: Buffer | string): boolean {
    if (this.hasLeft || this.#response.writableEnded) return true;
    this.isDelivering = true;
    this.#beginStream(contentType);
    this.#writePiece(chunk);
    return this.#response.writableLength < BUFFER_MAX_BYTES;
  }

  comment(contentType: string, line: string): void {
    if (this.hasLeft || this.#response.writableEnded) return;
    this.#beginStream(contentType);
    this.#writePiece(line);
  }

  end(last: Buffer | string): void {
    if (this.hasLeft || this.#response.writableEnded) return;
    this.#writePiece(last);
    this.#response.end(this.#isChunked ? LAST_CHUNK : '');
    this.#limitWait();
  }

  endNow(last: Buffer | string): void {
    this.end(last);
  }

  disconnect(): void {
    this.#response.destroy();
  }

  /** Closes the connection when the client doesn't read the rest of a response. */
  #limitWait(): void {
    if (this.#response.writableLength > 0) this.#response.setTimeout(LAST_READ_MS, () => this.#response.destroy());
  }

  #beginStream(contentType: string): void {
    if (this.#response.headersSent) return;
    this.#headers.push('content-type', contentType, 'x-accel-buffering', 'no');
    if (!this.#response.hasHeader('cache-control')) this.#headers.push('cache-control', 'no-cache');
    this.#response.writeHead(200, this.#headers);
    // Node would write each piece a tick later, as four buffers, which costs a tenth of a stream's CPU time.
    this.#isChunked = this.#response.chunkedEncoding;
    this.#response.chunkedEncoding = false;
  }

  #writePiece(piece: Buffer | string): void {
    if (piece.length > 0) this.#response.write(this.#isChunked ? httpChunk(piece) : piece);
  }
}

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

/**
 * Headers of files that a vendor or a user determines. A browser that opens one must not execute it, call other hosts
 * for it or send them the address. It may show images, videos and audio, for which browsers build a page with inline
 * styles.
 */
export const untrustedContentHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy':
    "sandbox; default-src 'none'; img-src 'self' data:; media-src 'self' data:; style-src 'unsafe-inline'",
  'referrer-policy': 'no-referrer',
} as const;
