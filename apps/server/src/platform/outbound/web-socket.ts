/** WebSockets on existing connections: messages of a limited size, uncompressed. */
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type FrameOptions, WebSocket, WebSocketServer } from 'ws';
import { watchUpgradedConnection } from './response-framing-guard.ts';

export type { WebSocket };

const frameLimits: FrameOptions = {
  maxPayload: 16 * 1024 * 1024,
  // A small compressed message could expand to a large one.
  perMessageDeflate: false,
  autoPong: true,
  maxPendingAutoPongs: 60,
  // One message, ping or pong per socket and turn of the event loop: a packet holds thousands of small ones.
  allowSynchronousEvents: false,
  closeTimeout: 1_000,
  maxFragments: 4_096,
  maxBufferedChunks: 65_536,
};

/** Accepts an upgrade; the socket is paused. @param headers response headers: `name: value` */
export function acceptWebSocket(
  message: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  { protocol, headers }: { protocol: string; headers: readonly string[] },
): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const server = new WebSocketServer({
      ...frameLimits,
      noServer: true,
      clientTracking: false,
      handleProtocols: (offered) => offered.has(protocol) && protocol,
    });
    server.on('headers', (answered) => void answered.push(...headers));
    const gone = (): void => reject(new Error('The client closed the connection.'));
    socket.once('close', gone);
    server.handleUpgrade(message, socket, head, (accepted) => {
      socket.off('close', gone);
      accepted.pause();
      resolve(accepted);
    });
  });
}

/** Counts held bytes; a negative number subtracts. */
export type CountBytes = (bytes: number) => void;

/**
 * Counts the bytes of an incomplete message; its receiver counts the complete one.
 * @returns a function that ends it
 */
export function countUnfinishedMessageBytes(socket: WebSocket, connection: Duplex, count: CountBytes): () => void {
  let unfinished = 0;
  const collect = (chunk: Buffer): void => {
    unfinished += chunk.length;
    count(chunk.length);
  };
  const whole = (): void => {
    count(-unfinished);
    unfinished = 0;
  };
  // Runs before the socket's own listener.
  connection.prependListener('data', collect);
  // Runs before the message's handler, which counts its bytes again.
  socket.prependListener('message', whole);
  return () => {
    connection.off('data', collect);
    socket.off('message', whole);
  };
}

/**
 * Returns whether the request is a complete WebSocket handshake. https://www.rfc-editor.org/rfc/rfc6455#section-4.2.1
 */
export function isWebSocketRequest({ method, headers }: IncomingMessage): boolean {
  return (
    method === 'GET' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    headers['sec-websocket-version'] === '13' &&
    /^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '') &&
    isValidProtocolList(headers['sec-websocket-protocol'])
  );
}

/**
 * Returns whether the subprotocols are valid and distinct. Otherwise `acceptWebSocket` would refuse them after an
 * upstream was called.
 */
function isValidProtocolList(offered: string | undefined): boolean {
  const names = offered?.split(',').map((name) => name.trim()) ?? [];
  return new Set(names).size === names.length && names.every((name) => /^[\w!#$%&'*+.^`|~-]+$/.test(name));
}

/**
 * Returns the headers of a client's WebSocket handshake, and the `Sec-WebSocket-Accept` with which a server must
 * respond.
 */
export function createHandshake(): { headers: string[]; accept: string } {
  const key = randomBytes(16).toString('base64');
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  return { headers: ['sec-websocket-version', '13', 'sec-websocket-key', key], accept };
}

/** Creates the client's end of an upgraded connection, paused. */
export function createClientWebSocket(connection: Duplex): WebSocket {
  const socket = new ClientWebSocket(null, undefined, frameLimits);
  socket.setSocket(connection, Buffer.alloc(0), frameLimits);
  watchUpgradedConnection(connection);
  socket.pause();
  return socket;
}

/** `ws` treats the owner of an existing connection as the server; a client must mask its frames. */
class ClientWebSocket extends WebSocket {
  protected _isServer = false;
}
