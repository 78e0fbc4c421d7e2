/**
 * Limits client connections, so that descriptors are left for upstreams, files and the database. A connection above a
 * limit gets 503, or is closed at once when too many wait for that. The same applies to a client that sends many
 * requests before it has the previous response (HTTP pipelining, RFC 9112, section 9.3.2), or its body in tiny chunks:
 * a packet holds thousands of them, and Node.js would handle them all in one turn of the event loop.
 */
import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { createBoundedMap } from '../caches.ts';
import { type Clock, runAfterPendingEvents, systemClock } from '../clock.ts';
import { toNetwork } from '../limits/rate-limit.ts';

/** Descriptors of the database, files, standard streams and the event loop. */
const OWN_DESCRIPTORS = 64;
/** One for the client and one for the upstream of a relayed request. */
const DESCRIPTORS_PER_CONNECTION = 2;
const TOTAL_MIN = 16;
/** One address may have a quarter of all connections. */
const ADDRESS_DIVISOR = 4;
/** Connections that may wait for their 503, as a fraction of those that are served. */
const REFUSED_DIVISOR = 8;
const RETRY_SECONDS = '5';
/** A client that waits for each response sends one. */
const REQUESTS_PER_TICK = 8;
/** Chunks of a body that may be as small as the client likes; the others have this average size. */
const SMALL_CHUNKS_MAX = 1_000;
const CHUNK_MIN_BYTES = 16;
/** Time for which the network of a client with tiny chunks is not served: a packet holds 10,000 of them. */
const BLOCK_MS = 60_000;
const BLOCKED_MAX = 10_000;
/** Typical limit on descriptors, for systems that don't report theirs. */
const USUAL_DESCRIPTORS = 65_536;

export interface ConnectionLimits {
  /** Maximum connections of all addresses together. */
  total: number;
  perAddress: number;
}

export interface ConnectionLimit {
  /**
   * Refuses the request when its connection is above a limit or sends too many at once, and a request without a host.
   * @returns whether it did
   */
  rejectIfOverLimit(request: IncomingMessage, response: ServerResponse): boolean;
  /** Returns whether the connection was within the limits when it was made. */
  isWithinLimits(socket: object): boolean;
}

/** @param isExempt returns whether many clients share the address @param clock measures how long a network is blocked */
export function limitConnections(
  server: Server,
  { total, perAddress }: ConnectionLimits,
  isExempt: (address: string) => boolean,
  clock: Pick<Clock, 'elapsed'> = systemClock,
): ConnectionLimit {
  /** Number of connections per address; an IPv6 /64 counts as one, since a customer usually has all of it. */
  const byNetwork = new Map<string, number>();
  const refused = new WeakSet<object>();
  /** Number of requests per connection in this turn of the event loop. */
  const requests = new Map<object, number>();
  const closeIfQueued = createQueueCloser();
  const refusedMost = Math.ceil(total / REFUSED_DIVISOR);
  /** Networks and the `elapsed()` milliseconds until which they are blocked. */
  const blocked = createBoundedMap<string, number>(BLOCKED_MAX);
  let served = 0;
  let waiting = 0;

  const block = ({ remoteAddress = '' }: Socket): void => {
    if (!isExempt(remoteAddress)) blocked.set(toNetwork(remoteAddress), clock.elapsed() + BLOCK_MS);
  };

  const refuse = (socket: Socket): void => {
    refused.add(socket);
    waiting += 1;
    socket.once('close', () => {
      waiting -= 1;
    });
    if (waiting > refusedMost) socket.destroy();
  };

  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const network = toNetwork(address);
    if (blocked.size > 0 && (blocked.get(network) ?? 0) > clock.elapsed()) {
      socket.destroy();
      return;
    }
    const own = byNetwork.get(network) ?? 0;
    if (served >= total || (own >= perAddress && !isExempt(address))) return refuse(socket);
    served += 1;
    byNetwork.set(network, own + 1);
    socket.once('close', () => {
      served -= 1;
      const left = (byNetwork.get(network) ?? 1) - 1;
      if (left === 0) byNetwork.delete(network);
      else byNetwork.set(network, left);
    });
  });

  const limit: ConnectionLimit = {
    isWithinLimits: (socket) => !refused.has(socket),
    rejectIfOverLimit(request, response) {
      const { socket } = request;
      if (requests.size === 0) runAfterPendingEvents(() => requests.clear());
      const count = (requests.get(socket) ?? 0) + 1;
      requests.set(socket, count);
      if (count > REQUESTS_PER_TICK) socket.destroy();
      if (socket.destroyed) return true;
      closeIfQueued(socket, response);
      if (request.headers['transfer-encoding'] !== undefined) limitChunks(request, block);
      if (refused.has(socket)) {
        response.writeHead(503, {
          'content-type': 'application/json; charset=utf-8',
          'retry-after': RETRY_SECONDS,
          connection: 'close',
        });
        response.end(refusal);
        return true;
      }
      if (request.headers.host !== undefined || request.httpVersion !== '1.1') return false;
      response.writeHead(400, { connection: 'close' });
      response.end();
      return true;
    },
  };
  // Node.js would respond to a request without a host, and to other expectations than `100-continue`, itself: uncounted.
  Object.assign(server, { requireHostHeader: false });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    if (limit.rejectIfOverLimit(request, response)) return;
    response.writeHead(417, { connection: 'close' });
    response.end();
  });
  return limit;
}

/**
 * Returns a function that closes a response together with its connection if it waits for an earlier one. Node.js
 * forgets such responses when it hands the connection over for CONNECT or an upgrade, so that what waits for their end
 * would wait forever.
 */
function createQueueCloser(): (socket: Socket, response: ServerResponse) => void {
  /** Response to the latest request of each connection; responses are sent in the order of the requests. */
  const latest = new WeakMap<Socket, ServerResponse>();
  const queued = new WeakMap<Socket, Set<ServerResponse>>();
  const openQueue = (socket: Socket): Set<ServerResponse> => {
    const responses = new Set<ServerResponse>();
    queued.set(socket, responses);
    socket.once('close', () => {
      for (const response of responses) response.destroy();
    });
    return responses;
  };
  return (socket, response) => {
    const earlier = latest.get(socket);
    latest.set(socket, response);
    if (earlier === undefined || earlier.closed) return;
    const responses = queued.get(socket) ?? openQueue(socket);
    responses.add(response);
    response.once('close', () => responses.delete(response));
  };
}

/**
 * Closes the connection of a client that sends its body in tiny chunks. Each costs as much as a large one, also after
 * the response, when Node.js discards the rest of the body: a few megabytes a second would occupy the process.
 */
function limitChunks(request: IncomingMessage, block: (socket: Socket) => void): void {
  const push = request.push.bind(request);
  let chunks = 0;
  let size = 0;
  request.push = (chunk: Buffer | null) => {
    chunks += 1;
    size += chunk?.length ?? 0;
    if (chunks <= SMALL_CHUNKS_MAX + size / CHUNK_MIN_BYTES) return push(chunk);
    block(request.socket);
    request.socket.destroy();
    return false;
  };
  // Node.js' own function of this name would have the parser discard the rest uncounted.
  Object.assign(request, { _dump: () => request.resume() });
}

const message = `There are too many connections. Close some, or retry in ${RETRY_SECONDS} seconds.`;
/** Body of the refusal, in the format of the management API and of the relay's dialects at once. */
const refusal = JSON.stringify({
  success: false,
  message,
  code: 'unavailable',
  type: 'error',
  error: { message, type: 'overloaded_error', code: 'overloaded' },
});

/** Returns limits that leave descriptors for everything else. */
export function defaultConnectionLimits(descriptors = readDescriptorLimit()): ConnectionLimits {
  const most = Math.max(TOTAL_MIN, Math.floor((descriptors - OWN_DESCRIPTORS) / DESCRIPTORS_PER_CONNECTION));
  return { total: most, perAddress: Math.ceil(most / ADDRESS_DIVISOR) };
}

/** Returns the maximum number of descriptors; Node.js raises the soft limit to the hard one when it starts. */
function readDescriptorLimit(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
    return soft === undefined ? USUAL_DESCRIPTORS : Number(soft);
  } catch {
    return USUAL_DESCRIPTORS;
  }
}

/**
 * Ends responses that no client reads, because the server holds them in memory.
 * @param ms time during which the client reads no byte. Event streams are exempt, since events may be further apart
 */
export function endStalledResponses(app: FastifyInstance, ms: number): void {
  app.addHook('onSend', async (_request, reply) => {
    if (String(reply.getHeader('content-type')).startsWith('text/event-stream')) return;
    reply.raw.setTimeout(ms, () => reply.raw.destroy());
  });
}
