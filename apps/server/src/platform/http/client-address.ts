import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

/** Determines a request's client address and scheme; forwarding headers count only from configured proxies. */
export interface ClientAddress {
  getAddress(request: IncomingMessage): string;
  isSecure(request: IncomingMessage): boolean;
  /** Returns whether an address is that of a configured proxy, which many clients share. */
  isProxy(address: string): boolean;
  /**
   * Returns the origin by which the client reached this server; empty without a valid host. The client controls it,
   * so it must only be used in responses to this client.
   */
  getSiteOrigin(request: IncomingMessage): string;
}

/** Host name or address with an optional port, safe to use in an address. */
const plainHost = /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const networks = trustedProxies.map((entry) =>
    entry.includes('/') ? ipaddr.parseCIDR(entry) : toSingleHostNetwork(entry),
  );
  const trusts = (address: string): boolean => {
    if (networks.length === 0 || !ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return networks.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits));
  };
  const peerOf = (request: IncomingMessage): string => normalizeAddress(request.socket.remoteAddress ?? '');

  const isSecure = (request: IncomingMessage): boolean =>
    'encrypted' in request.socket || (trusts(peerOf(request)) && request.headers['x-forwarded-proto'] === 'https');

  return {
    isSecure,
    isProxy: (address) => trusts(normalizeAddress(address)),
    getAddress(request) {
      const peer = peerOf(request);
      if (!trusts(peer)) return peer;
      // The right-most hop that is not a trusted proxy was seen by a trusted one; hops left of it are that hop's
      // claim, so an unreadable one ends the search.
      const hops = String(request.headers['x-forwarded-for'] ?? '').split(',');
      const client = hops.map(parseHop).findLast((address) => address === undefined || !trusts(address));
      return client ?? peer;
    },
    getSiteOrigin(request) {
      const forwarded = trusts(peerOf(request)) ? request.headers['x-forwarded-host'] : undefined;
      // With several proxies, the last entry is the trusted one's.
      const host = (String(forwarded ?? '') || (request.headers.host ?? '')).split(',').at(-1)?.trim() ?? '';
      return plainHost.test(host) ? `${isSecure(request) ? 'https' : 'http'}://${host}` : '';
    },
  };
}

function toSingleHostNetwork(address: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const parsed = ipaddr.process(address);
  return [parsed, parsed.kind() === 'ipv4' ? 32 : 128];
}

/** Normalizes an address without its port; undefined when it is invalid. */
function parseHop(hop: string): string | undefined {
  const text = hop.trim();
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const isAddress = bare.includes(':') ? ipaddr.IPv6.isValid(bare) : ipaddr.IPv4.isValidFourPartDecimal(bare);
  return isAddress ? ipaddr.process(bare).toString() : undefined;
}

/** Returns `127.0.0.1` for `::ffff:127.0.0.1`. */
function normalizeAddress(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address;
}
