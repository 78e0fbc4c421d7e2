/** Connects only to addresses that the guard allows; checked at every connection, because DNS results change. */
import { constants } from 'node:crypto';
import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIP, type Socket } from 'node:net';
import { DEFAULT_CIPHERS } from 'node:tls';
import { callbackify } from 'node:util';
import { buildConnector } from 'undici';
import type { OutboundGuard } from './outbound-guard.ts';
import type { ResolveName } from './public-resolver.ts';

export interface ConnectPolicy {
  guard: OutboundGuard;
  resolve: ResolveName;
}

/** Addresses of a host that count. A host may have thousands, and checking each takes time. */
const ADDRESSES_MAX = 16;
/** Session tickets of a connection. Servers send two; each one costs CPU, and no reader of the response sees it. */
const TICKETS_MAX = 16;

/**
 * TLS options of all connections. A TLS 1.2 server can request renegotiation endlessly: each one costs CPU, and no reader
 * of the response sees it. With DHE, a server chooses the group: one of 10,000 bits blocks the process for a second.
 */
export const tlsOptions = {
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  ciphers: `${DEFAULT_CIPHERS}:!kDHE`,
} as const;

/** Node's hook by which a connection resolves its host. */
export type DnsLookup = (
  host: string,
  options: LookupOptions,
  callback: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
) => void;

/** Resolves a name to its allowed addresses. */
export function createGuardedLookup({ guard, resolve }: ConnectPolicy, connectMs: number): DnsLookup {
  const allowedOf = callbackify(async (host: string): Promise<[LookupAddress, ...LookupAddress[]]> => {
    const addresses = await resolve(host, connectMs);
    const [first, ...others] = addresses.slice(0, ADDRESSES_MAX).filter(({ address }) => guard.allows(host, address));
    if (first === undefined)
      throw guard.refuse(
        host,
        addresses.map(({ address }) => address),
      );
    return [first, ...others];
  });
  return (host, options, callback) => {
    allowedOf(host, (error, allowed) => {
      if (error !== null) return callback(error, []);
      const [{ address, family }] = allowed;
      return options.all === true ? callback(null, allowed) : callback(null, address, family);
    });
  };
}

/**
 * Creates a connector that checks names and literal addresses; Node calls the lookup hook only for names. It never offers
 * HTTP/2: a request has its connection for itself, and control frames would cost memory and CPU without limit.
 */
export function createGuardedConnector(policy: ConnectPolicy, connectMs: number): buildConnector.connector {
  const lookup = createGuardedLookup(policy, connectMs);
  const connect = buildConnector({ ...tlsOptions, timeout: connectMs, lookup, allowH2: false });
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !policy.guard.allows(host, host)) return callback(policy.guard.refuse(host), null);
    if (options.protocol !== 'https:') return connect(options, callback);
    const port = options.port || '443';
    connect({ ...options, protocol: 'http:', port }, (...carried) => {
      const [failure, carrier] = carried;
      if (failure !== null || carrier === null) return callback(...carried);
      connect({ ...options, port, httpSocket: carrier }, (...secured) => {
        const [error, socket] = secured;
        if (error === null && socket !== null) {
          carriers.set(socket, carrier);
          limitTickets(socket);
        }
        callback(...secured);
      });
    });
  };
}

/** The connections below TLS, by the socket of the content. */
const carriers = new WeakMap<Socket, Socket>();

/** Returns the connection below TLS, whose bytes include what no reader of the content sees; undefined without TLS. */
export function getCarrier(socket: Socket): Pick<Socket, 'bytesRead'> | undefined {
  return carriers.get(socket);
}

function limitTickets(socket: Socket): void {
  let tickets = 0;
  socket.on('session', () => {
    tickets += 1;
    if (tickets > TICKETS_MAX) socket.destroy(new Error('The server sent too many TLS session tickets'));
  });
}
