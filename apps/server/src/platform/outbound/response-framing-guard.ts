/**
 * Guards the process against responses that are all framing: interim responses, chunk extensions and headers cost as
 * much as content, and are invisible to a response's reader.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingHttpHeaders } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ownBytes } from '@switchyard/relay/byte-pieces';
import { isObject } from '@switchyard/relay/json';
import type { Dispatcher } from 'undici';
import { getCarrier } from './guarded-connector.ts';

/** Protocol violation in an upstream's response. */
export class InvalidResponseError extends Error {
  constructor(reason: string) {
    super(`The response ${reason}`);
    this.name = 'InvalidResponseError';
  }
}

/** Slow servers send an interim response every few seconds or minutes (102 Processing, 103 Early Hints). */
const INTERIM_MAX = 20;
/**
 * Encrypted bytes of a connection: for each decrypted one, and besides, for the handshake. A record adds up to 40 bytes
 * to its content; other messages of TLS (new keys, tickets) cost CPU and have no content. They are compared for each
 * 64 KiB of content, so that much content allows no flood after it.
 */
const ENCRYPTED_FACTOR = 6;
const ENCRYPTED_MAX_BYTES = 131_072;
const COMPARED_BYTES = 65_536;
/** Allowed bytes of framing beyond the size of the content. Headers have at most 16 KiB, and a chunk six bytes. */
const FRAMING_MAX_BYTES = 1_048_576;

/**
 * Pieces of content, which cost as much as hundreds of bytes each, after which their average size counts. A vendor that
 * writes each word, and each end of an event, by itself has larger ones.
 */
const PIECES_MIN = 10_000;
const PIECE_MIN_BYTES = 16;

/**
 * Wraps the handler of a request: interim responses are not passed on, content keeps nothing of its packet in memory,
 * and the request fails with `InvalidResponseError` when the response is all framing.
 */
export function guardResponse(handler: Dispatcher.DispatchHandler): Dispatcher.DispatchHandler {
  return new ResponseGuard(handler);
}

/** Guards all requests of a dispatcher. */
export const guardResponses: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
  dispatch(options, guardResponse(handler));

/** Captures the socket of the request whose head is about to be written: undici only reveals it in the same turn. */
let captureSocket: ((socket: Socket) => void) | undefined;

subscribe('undici:client:sendHeaders', (message) => {
  const take = captureSocket;
  captureSocket = undefined;
  if (take !== undefined && isObject(message) && message['socket'] instanceof Socket) take(message['socket']);
});

class ResponseGuard implements Dispatcher.DispatchHandler {
  readonly #handler: Dispatcher.DispatchHandler;
  #controller: Dispatcher.DispatchController | undefined;
  #connection: WatchedConnection | undefined;
  /** Bytes read from the connection before the response. */
  #bytesBefore = 0;
  #contentBytes = 0;
  #pieces = 0;
  #interim = 0;

  constructor(handler: Dispatcher.DispatchHandler) {
    this.#handler = handler;
  }

  #watch(socket: Socket): void {
    this.#connection = getWatchedConnection(socket);
    this.#connection.guard = this;
    this.#bytesBefore = socket.bytesRead;
    this.#contentBytes = 0;
  }

  /** @param bytesRead bytes that the response's reader has taken from the connection */
  check(bytesRead: number): void {
    const framing = bytesRead - this.#bytesBefore - this.#contentBytes;
    if (framing <= FRAMING_MAX_BYTES + this.#contentBytes) return;
    this.#fail(`has ${framing} bytes of framing for ${this.#contentBytes} bytes of content`);
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#controller = controller;
    this.#interim = 0;
    this.#pieces = 0;
    this.#handler.onRequestStart?.(controller, context);
    captureSocket = (socket) => this.#watch(socket);
  }

  onRequestUpgrade(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
    socket: Duplex,
  ): void {
    this.#connection?.release();
    this.#handler.onRequestUpgrade?.(controller, status, headers, socket);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
    statusMessage?: string,
  ): void {
    if (status >= 200) return this.#handler.onResponseStart?.(controller, status, headers, statusMessage);
    this.#interim += 1;
    if (this.#interim > INTERIM_MAX) this.#fail(`came after more than ${INTERIM_MAX} interim responses`);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#contentBytes += chunk.length;
    this.#pieces += 1;
    if (this.#pieces > PIECES_MIN && this.#contentBytes < PIECE_MIN_BYTES * this.#pieces)
      return this.#fail(`has ${this.#pieces} pieces for ${this.#contentBytes} bytes of content`);
    this.#handler.onResponseData?.(controller, ownBytes(chunk));
  }

  onResponseEnd(controller: Dispatcher.DispatchController, trailers: IncomingHttpHeaders): void {
    this.#leave();
    this.#handler.onResponseEnd?.(controller, trailers);
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    this.#leave();
    this.#handler.onResponseError?.(controller, error);
  }

  onResponseStarted(): void {
    this.#handler.onResponseStarted?.();
  }

  onBodySent(chunk: Buffer): void {
    this.#handler.onBodySent?.(chunk);
  }

  onRequestSent(): void {
    this.#handler.onRequestSent?.();
  }

  #fail(reason: string): void {
    this.#controller?.abort(new InvalidResponseError(reason));
  }

  #leave(): void {
    if (this.#connection?.guard === this) this.#connection.guard = undefined;
    this.#connection = undefined;
  }
}

/** HTTP/1.1 connection, which serves one request at a time. */
class WatchedConnection {
  guard: ResponseGuard | undefined;
  readonly #socket: Socket;
  readonly #carrier: Pick<Socket, 'bytesRead'> | undefined;
  /** Bytes that have been compared. */
  readonly #compared = { content: 0, encrypted: 0 };
  /** A paused response leaves bytes unread. */
  readonly #look = (): void => {
    const { bytesRead, readableLength } = this.#socket;
    this.guard?.check(bytesRead - readableLength);
    this.#compareEncrypted();
  };
  readonly #compareEncrypted = (): void => {
    if (this.#carrier === undefined) return;
    const compared = this.#compared;
    const content = this.#socket.bytesRead - compared.content;
    const encrypted = this.#carrier.bytesRead - compared.encrypted;
    if (encrypted > ENCRYPTED_MAX_BYTES + ENCRYPTED_FACTOR * content)
      this.#socket.destroy(new InvalidResponseError('consists of TLS messages without content'));
    if (content < COMPARED_BYTES) return;
    compared.content += content;
    compared.encrypted += encrypted;
  };

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#carrier = getCarrier(socket);
    // Added after undici's listener, which reads everything that has arrived.
    socket.on('readable', this.#look);
  }

  /** Removes the listener from an upgraded connection, which it would keep from flowing. */
  release(): void {
    this.guard = undefined;
    this.#socket.off('readable', this.#look);
  }

  watchUpgraded(): void {
    this.#socket.prependListener('data', this.#compareEncrypted);
  }
}

const connections = new WeakMap<Socket, WatchedConnection>();

function getWatchedConnection(socket: Socket): WatchedConnection {
  const known = connections.get(socket);
  if (known !== undefined) return known;
  const connection = new WatchedConnection(socket);
  connections.set(socket, connection);
  return connection;
}

/** Guards an upgraded connection against TLS messages without content. Its new owner must already read its data. */
export function watchUpgradedConnection(connection: Duplex): void {
  if (connection instanceof Socket) connections.get(connection)?.watchUpgraded();
}
